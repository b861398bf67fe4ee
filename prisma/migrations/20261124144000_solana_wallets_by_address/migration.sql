SET LOCAL lock_timeout = '10s';

-- Wallets are looked up by their address alone when a customer removes one, and for their coverage.
CREATE INDEX "SolanaWallet_address_idx" ON "SolanaWallet"("address");
