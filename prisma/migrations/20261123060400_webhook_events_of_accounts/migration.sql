-- Each migration of webhooks locks one table that is in use: two in one transaction could deadlock with the service.
SET LOCAL lock_timeout = '10s';

CREATE TRIGGER "RampAccount_webhook" AFTER UPDATE ON "RampAccount"
  FOR EACH ROW
  WHEN ((OLD.status, OLD."providerStatus", OLD."rejectReason", OLD."verificationLink", OLD.capabilities, OLD.verification)
        IS DISTINCT FROM
        (NEW.status, NEW."providerStatus", NEW."rejectReason", NEW."verificationLink", NEW.capabilities, NEW.verification))
  EXECUTE FUNCTION "publishKycEvent"();
