-- AlterTable
ALTER TABLE "Action" ALTER COLUMN "createdAt" SET DEFAULT transaction_timestamp();

-- AlterTable
ALTER TABLE "ActionCall" ALTER COLUMN "createdAt" SET DEFAULT transaction_timestamp();
