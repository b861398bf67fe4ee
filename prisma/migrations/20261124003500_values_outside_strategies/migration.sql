-- AlterTable
ALTER TABLE "WalletValue" ADD COLUMN "apartUsdMicros" DECIMAL(60,0),
ADD COLUMN "apartBrlMicros" DECIMAL(60,0);
