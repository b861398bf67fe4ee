-- AlterTable
ALTER TABLE "RampTicket" ADD COLUMN     "paidBy" TEXT;

-- CreateIndex
CREATE UNIQUE INDEX "RampTicket_paidBy_key" ON "RampTicket"("paidBy");
