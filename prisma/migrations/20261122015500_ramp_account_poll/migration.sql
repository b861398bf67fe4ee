-- AlterTable
ALTER TABLE "RampAccount" ADD COLUMN     "openingLeasedUntil" TIMESTAMPTZ(3),
ADD COLUMN     "openingStartedAt" TIMESTAMPTZ(3),
ADD COLUMN     "pollToken" UUID,
ADD COLUMN     "polledAt" TIMESTAMPTZ(3),
ADD COLUMN     "staleSince" TIMESTAMPTZ(3),
ADD COLUMN     "submissionLeasedUntil" TIMESTAMPTZ(3);

-- Every account that a ramp was requested to open. 1970-01-01 stood for an opening that had failed.
UPDATE "RampAccount" SET "openingStartedAt" = "createdAt" WHERE "accountId" IS NOT NULL OR "checkedAt" IS NOT NULL;

-- An account that is being opened: the lease lasted 30 seconds from the time stored.
UPDATE "RampAccount" SET "openingLeasedUntil" = "checkedAt" + interval '30 seconds'
 WHERE "accountId" IS NULL AND "checkedAt" > '1970-01-01T00:00:00Z';

-- An open account: a time in the past was the last poll, one in the future the lease of a submission. None meant that the
-- state was never polled, or stale: it is polled at the next read.
UPDATE "RampAccount" SET "polledAt" = "checkedAt" WHERE "accountId" IS NOT NULL AND "checkedAt" <= now();
UPDATE "RampAccount" SET "submissionLeasedUntil" = "checkedAt" WHERE "accountId" IS NOT NULL AND "checkedAt" > now();
UPDATE "RampAccount" SET "staleSince" = now() WHERE "accountId" IS NOT NULL AND "checkedAt" IS NULL;

-- AlterTable
ALTER TABLE "RampAccount" DROP COLUMN "checkedAt";
