-- AlterTable
ALTER TABLE "WalletBackfill" ADD COLUMN "recordedFrom" BIGINT,
ADD COLUMN "recordedTo" BIGINT;
