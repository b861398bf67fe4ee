-- When the history was read since the first refusal, and whether the wait has begun anew because of it.
ALTER TABLE "UnreadPosition" ADD COLUMN "readAt" TIMESTAMPTZ(3);
ALTER TABLE "UnreadPosition" ADD COLUMN "isRestarted" BOOLEAN NOT NULL DEFAULT false;

-- The oldest ones of a customer give way.
CREATE INDEX "UnreadPosition_customerId_since_idx" ON "UnreadPosition"("customerId", "since");
