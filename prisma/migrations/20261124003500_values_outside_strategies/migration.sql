SET LOCAL lock_timeout = '10s';

-- AlterTable
ALTER TABLE "WalletValue" ADD COLUMN "apartUsdMicros" DECIMAL(60,0),
ADD COLUMN "apartBrlMicros" DECIMAL(60,0);
