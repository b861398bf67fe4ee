-- Each migration of webhooks locks one table that is in use: two in one transaction could deadlock with the service.
SET LOCAL lock_timeout = '10s';

CREATE TRIGGER "KycWallet_webhook" AFTER INSERT OR DELETE ON "KycWallet"
  FOR EACH ROW EXECUTE FUNCTION "publishWalletEvent"();
