-- AlterTable
ALTER TABLE "Member" ADD COLUMN "bindsAdmin" BOOLEAN NOT NULL DEFAULT true;

-- DropIndex
DROP INDEX "SmartAccountDeployment_nextAt_idx";

-- CreateIndex
CREATE INDEX "SmartAccountDeployment_customerId_nextAt_idx" ON "SmartAccountDeployment"("customerId", "nextAt") WHERE (state = ANY (ARRAY['WAITING'::text, 'SENDING'::text]));

-- CreateIndex
CREATE INDEX "SmartAccountDeployment_open_idx" ON "SmartAccountDeployment"("chainId", "address") WHERE (state = ANY (ARRAY['WAITING'::text, 'SENDING'::text]));
