-- DropIndex
DROP INDEX "Action_customerId_originAddress_createdAt_id_idx";

-- DropIndex
DROP INDEX "Action_customerId_receiverAddress_createdAt_id_idx";

-- DropIndex
DROP INDEX "Quote_expiry_idx";

-- AlterTable
ALTER TABLE "Action" ADD COLUMN     "isDraft" BOOLEAN NOT NULL DEFAULT false;

-- CreateIndex
CREATE INDEX "Action_customerId_originAddress_isDraft_createdAt_id_idx" ON "Action"("customerId", "originAddress", "isDraft", "createdAt", "id");

-- CreateIndex
CREATE INDEX "Action_customerId_receiverAddress_isDraft_createdAt_id_idx" ON "Action"("customerId", "receiverAddress", "isDraft", "createdAt", "id") WHERE ("originAddress" <> "receiverAddress");

-- CreateIndex
CREATE INDEX "Action_finishedAt_idx" ON "Action"("finishedAt") WHERE ("isDraft" AND ("finishedAt" IS NOT NULL));

-- CreateIndex
CREATE INDEX "ActionCall_createdAt_idx" ON "ActionCall"("createdAt") WHERE ((NOT open) AND (kind <> 'APPROVAL'::text));

-- CreateIndex
CREATE INDEX "ActionEvent_createdAt_idx" ON "ActionEvent"("createdAt") WHERE ("fromStatus" = "toStatus");

-- CreateIndex
CREATE INDEX "Quote_unclaimed_idx" ON "Quote"("deadline") WHERE ("bytecodeHash" IS NULL);

-- CreateIndex
CREATE INDEX "TokenMetadata_updatedAt_idx" ON "TokenMetadata"("updatedAt");

-- CreateIndex
CREATE INDEX "Delivery_provider_actionId_idx" ON "Delivery"("provider", "actionId") WHERE (phase = 'AWAITING_ORIGIN'::"DeliveryPhase");
