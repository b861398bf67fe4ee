SET LOCAL lock_timeout = '10s';

-- The status of a profile shows the secondary ramp as soon as it has an account there. Without an account at the primary ramp it
-- shows the same as with a new one.
CREATE TRIGGER "RampAccount_webhook_insert" AFTER INSERT ON "RampAccount"
  FOR EACH ROW
  WHEN (NEW.provider = 'secondary')
  EXECUTE FUNCTION "publishKycEvent"();
