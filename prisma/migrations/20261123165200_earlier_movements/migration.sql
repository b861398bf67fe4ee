-- CreateTable
CREATE TABLE "WalletBackfill" (
    "walletId" BIGINT NOT NULL,
    "chainId" BIGINT NOT NULL,
    "lowest" BIGINT NOT NULL,
    "target" BIGINT NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'walking',
    "reason" TEXT,
    "entries" INTEGER NOT NULL DEFAULT 0,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "nextAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "WalletBackfill_pkey" PRIMARY KEY ("walletId","chainId"),
    CONSTRAINT "WalletBackfill_state_check" CHECK ("state" IN ('walking', 'proven', 'unproven')),
    CONSTRAINT "WalletBackfill_target_check" CHECK ("target" >= 0 AND "target" <= "lowest")
);

-- CreateIndex
CREATE INDEX "WalletBackfill_chainId_state_nextAt_idx" ON "WalletBackfill"("chainId", "state", "nextAt");
