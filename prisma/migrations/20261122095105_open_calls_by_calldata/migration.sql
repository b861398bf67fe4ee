-- DropIndex
DROP INDEX "ActionCall_chainId_sender_dataHash_idx";

-- CreateIndex
CREATE INDEX "ActionCall_chainId_sender_dataHash_actionId_idx" ON "ActionCall"("chainId", "sender", "dataHash", "actionId") WHERE (open AND status = 'PENDING'::"StepStatus");
