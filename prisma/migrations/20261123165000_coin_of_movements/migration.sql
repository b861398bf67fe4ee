-- A migration of its own: requests lock movements before coverage, and one that locks both the other way round could deadlock with them.
SET LOCAL lock_timeout = '10s';

-- The first block with coin of a wallet. Those from before have none: that of the chain counts.
ALTER TABLE "WalletCoverage" ADD COLUMN "coinFromBlock" BIGINT;
