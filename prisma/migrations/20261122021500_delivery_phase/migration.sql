-- Plain words: a delivery is polled, and its adapter keeps a checkpoint.
ALTER TABLE "Delivery" RENAME COLUMN "memory" TO "checkpoint";
ALTER TABLE "Delivery" RENAME COLUMN "looks" TO "pollCount";
ALTER TABLE "Delivery" RENAME COLUMN "nextLookAt" TO "nextPollAt";
ALTER INDEX "Delivery_nextLookAt_idx" RENAME TO "Delivery_nextPollAt_idx";

-- CreateEnum
CREATE TYPE "DeliveryPhase" AS ENUM ('AWAITING_ORIGIN', 'ACTIVE', 'ENDED');

-- AlterTable
ALTER TABLE "Delivery" ADD COLUMN     "fencingToken" BIGINT NOT NULL DEFAULT 0,
ADD COLUMN     "leasedUntil" TIMESTAMPTZ(3),
ADD COLUMN     "phase" "DeliveryPhase" NOT NULL DEFAULT 'AWAITING_ORIGIN';

-- "nextLookAt" was the schedule, the lease, the fencing token and, by its absence, the phase. A lease that runs during the
-- migration becomes the schedule: the delivery is polled when the lease would have ended.
UPDATE "Delivery" SET "phase" = 'ACTIVE' WHERE "nextPollAt" IS NOT NULL;
UPDATE "Delivery" AS delivery SET "phase" = 'ENDED' FROM "Action" AS action
 WHERE action."id" = delivery."actionId" AND delivery."nextPollAt" IS NULL AND action."status" NOT IN ('INITIAL', 'PENDING');

ALTER TABLE "Delivery" ADD CONSTRAINT "Delivery_schedule_check" CHECK (("nextPollAt" IS NOT NULL) = ("phase" = 'ACTIVE'));
ALTER TABLE "Delivery" ADD CONSTRAINT "Delivery_lease_check" CHECK ("leasedUntil" IS NULL OR "phase" = 'ACTIVE');

-- "failureReason" of a step that did not fail was a flaw of the delivery.
ALTER TABLE "ActionStep" ADD COLUMN     "deliveryFlaw" TEXT;
UPDATE "ActionStep" SET "deliveryFlaw" = "failureReason", "failureReason" = NULL
 WHERE "failureReason" IS NOT NULL AND "status" <> 'FAILED';
