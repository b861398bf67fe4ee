SET LOCAL lock_timeout = '10s';

-- What a customer may see does not depend on others that watch the same wallet.
ALTER TABLE "WalletCoverage" ADD COLUMN "earliest" BIGINT;
