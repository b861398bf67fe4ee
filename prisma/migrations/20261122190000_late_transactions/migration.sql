-- DropIndex
DROP INDEX "ActionStep_chainId_txHash_key";

-- AlterTable
ALTER TABLE "ActionCall" ADD COLUMN     "minNonce" BIGINT,
ADD COLUMN     "nextSearchAt" TIMESTAMPTZ(3),
ADD COLUMN     "reportedNonce" BIGINT,
ADD COLUMN     "watchedUntil" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "ActionStep" ADD COLUMN     "callIndex" INTEGER,
ADD COLUMN     "reverted" BOOLEAN NOT NULL DEFAULT false;

-- Calls of expired payouts, which are still watched.
UPDATE "ActionCall" AS call
   SET "watchedUntil" = now() + interval '7 days', "nextSearchAt" = CASE WHEN call.form = 'REFERENCE' THEN now() END
  FROM "Action" AS action
 WHERE action.id = call."actionId" AND call.open AND action.status = 'FAILED';

-- CreateIndex
CREATE UNIQUE INDEX "ActionCall_chainId_sender_reportedNonce_key" ON "ActionCall"("chainId", "sender", "reportedNonce") WHERE ("reportedNonce" IS NOT NULL);

-- CreateIndex
CREATE INDEX "ActionCall_chainId_idx" ON "ActionCall"("chainId") WHERE (open AND ("watchedUntil" IS NULL));

-- CreateIndex
CREATE INDEX "ActionCall_watchedUntil_idx" ON "ActionCall"("watchedUntil") WHERE (open AND ("watchedUntil" IS NOT NULL));

-- CreateIndex
CREATE INDEX "ActionCall_chainId_nextSearchAt_idx" ON "ActionCall"("chainId", "nextSearchAt") WHERE (open AND ("nextSearchAt" IS NOT NULL));

-- CreateIndex
CREATE UNIQUE INDEX "ActionStep_chainId_txHash_key" ON "ActionStep"("chainId", "txHash") WHERE ("stepIndex" = 0 AND "userOperationHash" IS NULL AND "callIndex" IS NULL);

-- CreateIndex
CREATE UNIQUE INDEX "ActionStep_chainId_txHash_callIndex_key" ON "ActionStep"("chainId", "txHash", "callIndex") WHERE ("callIndex" IS NOT NULL);
