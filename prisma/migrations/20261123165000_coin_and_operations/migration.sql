-- Movements of the native coin are recorded from the next block on. A release from before this one records none of them.
ALTER TABLE "WalletCoverage" ADD COLUMN "coinFromBlock" BIGINT;

-- Coverage that waits for a block to begin at: that of tokens begins with that of the coin, or before.
DROP INDEX "WalletCoverage_pending_idx";
CREATE INDEX "WalletCoverage_pending_idx" ON "WalletCoverage"("chainId") WHERE ("coinFromBlock" IS NULL);

-- The operation of a smart account that made a movement. Rows from before have none, so that the constraint need not read them.
ALTER TABLE "LedgerEntry" ADD COLUMN "operation" TEXT,
    ADD COLUMN "operationHash" BYTEA,
    ADD COLUMN "operationContract" TEXT;
ALTER TABLE "LedgerEntry" ADD CONSTRAINT "LedgerEntry_operation_check"
    CHECK ("operation" IN ('safe', 'safeBatch', 'safeModule', 'userOperation')) NOT VALID;
