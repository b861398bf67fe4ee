-- AlterTable
ALTER TABLE "Customer" ADD COLUMN "sponsorshipPaused" BOOLEAN NOT NULL DEFAULT false,
                       ADD COLUMN "chosenLimits" JSONB NOT NULL DEFAULT '{}';
