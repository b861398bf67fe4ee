SET LOCAL lock_timeout = '10s';

-- AlterTable
ALTER TABLE "WalletValue" ADD COLUMN "apartUsdMicros" DECIMAL(60,0),
ADD COLUMN "apartBrlMicros" DECIMAL(60,0),
ADD COLUMN "apartUnpriced" INTEGER;

-- Totals of the earlier version, which contain tokens of positions twice.
DELETE FROM "WalletValue" WHERE section = 'total';
