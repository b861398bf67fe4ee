SET LOCAL lock_timeout = '10s';

-- AlterTable
ALTER TABLE "WalletBackfill" ADD COLUMN "recordedFrom" BIGINT,
ADD COLUMN "recordedTo" BIGINT;
