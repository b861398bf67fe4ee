import { startAction } from '../actions/start-action';
import { customerProfile } from '../customers/customer-profile';
import { createProviderAsker } from '../quotes/ask-provider';
import { quoteDeadline } from '../quotes/quote-deadline';
import { createCustomersSubgraph } from '../../subgraphs/customers';
import type { Subgraph } from '../../subgraphs/schema/build-subgraph';
import { createSwapsSubgraph, type SwapsDeps } from '../../subgraphs/swaps';
import { createWalletsSubgraph } from '../../subgraphs/wallets';
import type { Infrastructure } from './infrastructure';

export type SubgraphName = 'swaps' | 'wallets' | 'customers';
export const SUBGRAPH_NAMES: readonly SubgraphName[] = ['swaps', 'wallets', 'customers'];

/** Builds the subgraph of a name with what its resolvers need. */
export function createSubgraph(name: SubgraphName, infrastructure: Infrastructure): Subgraph {
  const { config, database, rpc } = infrastructure;
  const chains = config.chains.table;
  switch (name) {
    case 'swaps':
      return createSwapsSubgraph(swapsDeps(infrastructure));
    case 'wallets':
      return createWalletsSubgraph({ database, rpc, chains, blockedAddresses: blockedAddresses(infrastructure) });
    case 'customers':
      return createCustomersSubgraph({
        profile: (customer) => customerProfile({ db: database, rateLimit: rateLimits(infrastructure) }, customer),
      });
  }
}

function swapsDeps({ config, log, database, rpc, tokens, prices, providers, guards }: Infrastructure): SwapsDeps {
  const budgetMs = config.QUOTE_BUDGET_MS;
  return {
    ...{ database, rpc, tokens, prices, providers, budgetMs, startAction },
    chains: config.chains.table,
    askProvider: createProviderAsker({ budgetMs, log, guards }),
    quoteDeadline: quoteDeadline(database),
    quoteLifetimeSeconds: config.QUOTE_LIFETIME_SECONDS,
    actionExpirySeconds: config.ACTION_EXPIRY_SECONDS,
    blockedAddresses: new Set(config.BLOCKED_ADDRESSES ?? []),
    webhookUrls: { allowLoopback: config.ALLOW_LOOPBACK_URLS },
    rampProviders: ['primary', 'secondary'],
  };
}

const blockedAddresses = ({ config }: Infrastructure): ReadonlySet<string> => new Set(config.BLOCKED_ADDRESSES ?? []);

const rateLimits = ({ config }: Infrastructure) => ({
  perMinute: config.RATE_LIMIT_PER_MINUTE,
  perHour: config.RATE_LIMIT_PER_HOUR,
});
