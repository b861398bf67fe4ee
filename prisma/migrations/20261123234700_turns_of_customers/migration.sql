SET LOCAL lock_timeout = '10s';

-- Customers take turns when the earlier movements of their wallets are read. Workers of an earlier release leave the default.
ALTER TABLE "WalletBackfill" ADD COLUMN "customerId" UUID NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000';

CREATE INDEX "WalletBackfill_turns_idx" ON "WalletBackfill"("chainId", "customerId", "nextAt") WHERE (state = 'walking');
