-- CreateTable
CREATE TABLE "WalletValue" (
    "customerId" UUID NOT NULL,
    "wallet" TEXT NOT NULL,
    "section" TEXT NOT NULL,
    "step" TIMESTAMPTZ(3) NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "usdMicros" DECIMAL(60,0) NOT NULL,
    "brlMicros" DECIMAL(60,0),
    "unpriced" INTEGER NOT NULL,
    "unread" INTEGER NOT NULL DEFAULT 0,
    "resolution" INTEGER NOT NULL DEFAULT 300,

    CONSTRAINT "WalletValue_pkey" PRIMARY KEY ("customerId","wallet","section","step")
);

-- CreateIndex
CREATE INDEX "WalletValue_fine_idx" ON "WalletValue"("step") WHERE (resolution = 300);

-- CreateIndex
CREATE INDEX "WalletValue_hourly_idx" ON "WalletValue"("step") WHERE (resolution = 3600);

-- CreateIndex
CREATE INDEX "WalletValue_daily_idx" ON "WalletValue"("step") WHERE (resolution = 86400);

-- AddForeignKey
ALTER TABLE "WalletValue" ADD CONSTRAINT "WalletValue_wallet_fkey" FOREIGN KEY ("customerId", "wallet") REFERENCES "CustomerWallet"("customerId", "address") ON DELETE CASCADE ON UPDATE CASCADE;
