-- A migration of its own: requests lock movements before coverage, and one that locks both the other way round could deadlock with them.
SET LOCAL lock_timeout = '10s';

-- Movements of the native coin are recorded from the next block on. A release from before this one records none of them.
ALTER TABLE "WalletCoverage" ADD COLUMN "coinFromBlock" BIGINT;

-- Coverage that waits for a block to begin at: that of tokens begins with that of the coin, or before.
DROP INDEX "WalletCoverage_pending_idx";
CREATE INDEX "WalletCoverage_pending_idx" ON "WalletCoverage"("chainId") WHERE ("coinFromBlock" IS NULL);
