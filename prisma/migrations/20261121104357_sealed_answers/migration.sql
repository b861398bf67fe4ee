-- Answers that were kept readably are gone; their keys stay in use until they expire, so that no call runs twice.
UPDATE "IdempotentCall" SET "status" = NULL, "lockedUntil" = "createdAt" + interval '24 hours'
WHERE "status" IS NOT NULL;

-- AlterTable
ALTER TABLE "IdempotentCall" DROP COLUMN "body",
DROP COLUMN "headers",
ADD COLUMN     "answer" BYTEA;
