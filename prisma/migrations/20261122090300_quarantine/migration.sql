-- CreateTable
CREATE TABLE "Quarantine" (
    "chainId" BIGINT NOT NULL,
    "stage" TEXT NOT NULL,
    "item" TEXT NOT NULL,
    "customerId" UUID,
    "actionId" UUID,
    "blockNumber" BIGINT,
    "blockHash" TEXT,
    "txHash" TEXT,
    "sender" TEXT,
    "error" TEXT NOT NULL,
    "attempts" INTEGER NOT NULL DEFAULT 1,
    "nextAt" TIMESTAMPTZ(3) NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "Quarantine_pkey" PRIMARY KEY ("chainId","stage","item")
);

-- CreateIndex
CREATE INDEX "Quarantine_nextAt_idx" ON "Quarantine"("nextAt");

-- CreateIndex
CREATE INDEX "Quarantine_actionId_idx" ON "Quarantine"("actionId");

-- CreateIndex
CREATE INDEX "ActionCall_chainId_sender_dataHash_idx" ON "ActionCall"("chainId", "sender", "dataHash");
