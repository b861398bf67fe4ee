-- AlterTable
ALTER TABLE "Customer" ADD COLUMN     "limits" JSONB NOT NULL DEFAULT '{}';

-- CreateTable
CREATE TABLE "CustomerUsage" (
    "customerId" UUID NOT NULL,
    "resource" TEXT NOT NULL,
    "used" INTEGER NOT NULL,
    "countedAt" TIMESTAMPTZ(3),

    CONSTRAINT "CustomerUsage_pkey" PRIMARY KEY ("customerId","resource")
);

-- CreateIndex
CREATE INDEX "Action_customerId_status_isDraft_idx" ON "Action"("customerId", "status", "isDraft");

-- CreateIndex
CREATE INDEX "Delivery_customerId_idx" ON "Delivery"("customerId") WHERE ("nextPollAt" IS NOT NULL);
