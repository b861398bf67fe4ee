-- DropIndex
DROP INDEX "ActionStep_chainId_txHash_key";

-- CreateIndex
CREATE INDEX "ActionStep_chainId_txHash_idx" ON "ActionStep"("chainId", "txHash");

-- CreateIndex
CREATE UNIQUE INDEX "ActionStep_chainId_txHash_key" ON "ActionStep"("chainId", "txHash") WHERE ("stepIndex" = 0 AND "userOperationHash" IS NULL);

-- CreateIndex
CREATE UNIQUE INDEX "ActionStep_chainId_userOperationHash_key" ON "ActionStep"("chainId", "userOperationHash");
