-- Each migration of webhooks locks one table that is in use: two in one transaction could deadlock with the service.
SET LOCAL lock_timeout = '10s';

CREATE TRIGGER "ActionStep_webhook" AFTER UPDATE ON "ActionStep"
  FOR EACH ROW WHEN (NEW.kind IN ('FIAT_IN', 'FIAT_OUT') AND OLD.status IS DISTINCT FROM NEW.status)
  EXECUTE FUNCTION "publishRampEvent"();
