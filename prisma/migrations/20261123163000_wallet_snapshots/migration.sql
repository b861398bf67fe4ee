-- CreateTable
CREATE TABLE "WalletSnapshot" (
    "customerId" UUID NOT NULL,
    "wallet" TEXT NOT NULL,
    "section" TEXT NOT NULL,
    "version" BIGINT NOT NULL DEFAULT 0,
    "format" INTEGER NOT NULL,
    "body" TEXT,
    "basis" TEXT NOT NULL DEFAULT '',
    "computedAt" TIMESTAMPTZ(3),
    "requestedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "claim" BIGINT NOT NULL DEFAULT 0,
    "claimedUntil" TIMESTAMPTZ(3),

    CONSTRAINT "WalletSnapshot_pkey" PRIMARY KEY ("customerId","wallet","section")
);

-- CreateIndex
CREATE INDEX "WalletSnapshot_requestedAt_idx" ON "WalletSnapshot"("requestedAt");

-- AddForeignKey
ALTER TABLE "WalletSnapshot" ADD CONSTRAINT "WalletSnapshot_wallet_fkey" FOREIGN KEY ("customerId", "wallet") REFERENCES "CustomerWallet"("customerId", "address") ON DELETE CASCADE ON UPDATE CASCADE;
