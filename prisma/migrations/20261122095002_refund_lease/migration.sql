-- AlterTable
ALTER TABLE "Delivery" ADD COLUMN     "refundLeasedUntil" TIMESTAMPTZ(3);
