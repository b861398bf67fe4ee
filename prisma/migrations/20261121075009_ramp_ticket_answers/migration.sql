-- AlterTable
ALTER TABLE "RampTicket" DROP COLUMN "instructions",
ADD COLUMN     "leasedUntil" TIMESTAMPTZ(3),
ADD COLUMN     "ticket" BYTEA;
