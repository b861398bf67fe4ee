SET LOCAL lock_timeout = '10s';

-- Windows of earlier movements change the coverage of one wallet on one chain, for all customers.
CREATE INDEX "WalletCoverage_chainId_walletId_idx" ON "WalletCoverage"("chainId", "walletId");
