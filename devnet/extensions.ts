import { ACCOUNT_ABSTRACTION_EXTENSION } from './account-abstraction/account-abstraction-contracts';
import { ACROSS_EXTENSION } from './across/across-contracts';
import { CCTP_EXTENSION } from './cctp/cctp-contracts';
import type { ChainExtension } from './chain-extension';
import { LIFI_EXTENSION } from './lifi/lifi-contracts';
import { PRICE_FEED_EXTENSION } from './prices/price-feeds';
import { SERVICE_WALLET_EXTENSION } from './service-wallet';
import { STOCK_EXTENSION } from './stocks/stock-contracts';
import { AAVE_EXTENSION } from './strategies/aave-market';
import { ROUTER_EXTENSION } from './strategies/router';
import { COLLECTION_REGISTRY_EXTENSION } from './strategies/collection-registry';
import { VAULT_EXTENSION } from './strategies/vaults';

/** The contracts that the local chains have in addition to those of the venues. */
export const EXTENSIONS: readonly ChainExtension[] = [
  AAVE_EXTENSION,
  ACCOUNT_ABSTRACTION_EXTENSION,
  ACROSS_EXTENSION,
  CCTP_EXTENSION,
  COLLECTION_REGISTRY_EXTENSION,
  LIFI_EXTENSION,
  PRICE_FEED_EXTENSION,
  SERVICE_WALLET_EXTENSION,
  ROUTER_EXTENSION,
  STOCK_EXTENSION,
  VAULT_EXTENSION,
];
