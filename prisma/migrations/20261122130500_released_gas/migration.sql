-- AlterTable
ALTER TABLE "GasSpending" ADD COLUMN     "nonceKey" DECIMAL(58,0),
ADD COLUMN     "releasedAt" TIMESTAMPTZ(3),
ADD COLUMN     "sender" TEXT,
ADD COLUMN     "spentAt" TIMESTAMPTZ(3);

-- CreateIndex
CREATE INDEX "GasSpending_chainId_validUntil_idx" ON "GasSpending"("chainId", "validUntil") WHERE ((sender IS NOT NULL) AND ("releasedAt" IS NULL) AND ("spentAt" IS NULL));
