import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { type Address, keccak256 } from 'viem';
import type { Chain } from '../../chains/chain';
import { STRATEGY_ROUTER_CODE_HASH } from '../../chains/strategy-router';
import { describeFailure } from '../../errors/describe-failure';
import { serviceError } from '../../errors/service-error';
import type { Rpc } from '../../rpc/rpc';

/**
 * The router through which deposits and withdrawals of a chain go; `undefined` when none is configured.
 *
 * @throws PROVIDER_UNAVAILABLE when the chain does not respond, or has other code or none at the address of the router, as a node
 * that was restored from an old snapshot: operations never take the weaker form because of that
 */
export type FindStrategyRouter = (chain: Chain) => Promise<Address | undefined>;

export interface RouterDeps {
  readonly rpc: Pick<Rpc, 'request' | 'serves'>;
  readonly log: Pick<Logger, 'info' | 'warn'>;
}

/** How long a missing router counts as missing: it may be deployed at any time. Code that was found never changes. */
const ABSENT_TTL_MS = 10_000;
const MAX_CHAINS = 1000;

export function createStrategyRouterFinder({ rpc, log }: RouterDeps): FindStrategyRouter {
  const presence = new LRUCache<number, 'present' | 'absent'>({ max: MAX_CHAINS });
  return async ({ chainId, slug, strategyRouter: address }) => {
    if (address === undefined) return undefined;
    const known = presence.get(chainId);
    if (known === 'present') return address;
    if (known === 'absent') throw absentError(slug, address);
    const code = await rpc.request(chainId, (client) => client.getCode({ address }));
    const isPresent = code !== undefined && keccak256(code) === STRATEGY_ROUTER_CODE_HASH;
    presence.set(chainId, isPresent ? 'present' : 'absent', isPresent ? {} : { ttl: ABSENT_TTL_MS });
    if (isPresent) {
      log.info({ chain: slug, router: address }, 'operations of strategies use the router');
      return address;
    }
    log.warn({ chain: slug, router: address, hasCode: code !== undefined }, NOT_FOUND);
    throw absentError(slug, address);
  };
}

const NOT_FOUND =
  'the strategy router is not at its address: deposits, withdrawals from vaults and withdrawals with fees are refused until it is deployed';

const absentError = (slug: string, address: Address) =>
  serviceError('PROVIDER_UNAVAILABLE', {
    provider: slug,
    reason: `the strategy router is not at its address ${address}`,
  });

/** Checks the routers of the chains when the process starts, so that the log shows what is missing. */
export async function checkRouters(
  findRouter: FindStrategyRouter,
  chains: readonly Chain[],
  { rpc, log }: RouterDeps,
): Promise<void> {
  const served = chains.filter(({ chainId }) => rpc.serves(chainId));
  await Promise.all(
    served.map(async (chain) => {
      try {
        await findRouter(chain);
      } catch (error) {
        log.warn({ chain: chain.slug, cause: describeFailure(error) }, 'the strategy router could not be checked');
      }
    }),
  );
}
