-- Each migration of webhooks locks one table that is in use: two in one transaction could deadlock with the service.
SET LOCAL lock_timeout = '10s';

-- AlterTable
ALTER TABLE "Action" ADD COLUMN "eventSeq" INTEGER NOT NULL DEFAULT 1;

CREATE TRIGGER "Action_event_number" BEFORE UPDATE ON "Action"
  FOR EACH ROW WHEN (OLD.status IS DISTINCT FROM NEW.status OR OLD."isDraft" IS DISTINCT FROM NEW."isDraft")
  EXECUTE FUNCTION "numberActionEvents"();
CREATE TRIGGER "Action_webhook_insert" AFTER INSERT ON "Action"
  FOR EACH ROW WHEN (NOT NEW."isDraft") EXECUTE FUNCTION "publishActionEvents"();
CREATE TRIGGER "Action_webhook_update" AFTER UPDATE ON "Action"
  FOR EACH ROW WHEN (OLD.status IS DISTINCT FROM NEW.status OR OLD."isDraft" IS DISTINCT FROM NEW."isDraft")
  EXECUTE FUNCTION "publishActionEvents"();
