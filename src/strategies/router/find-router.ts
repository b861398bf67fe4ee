import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { type Address, keccak256 } from 'viem';
import type { Chain } from '../../chains/chain';
import { STRATEGY_ROUTER_CODE_HASH } from '../../chains/strategy-router';
import { describeFailure } from '../../errors/describe-failure';
import type { Rpc } from '../../rpc/rpc';

/**
 * The router through which deposits and withdrawals of a chain go; `undefined` when none is configured, or the code at its address
 * is not that of the router.
 *
 * @throws PROVIDER_UNAVAILABLE when the chain does not respond: operations never take the weaker form because of that
 */
export type FindRouter = (chain: Chain) => Promise<Address | undefined>;

export interface RouterDeps {
  readonly rpc: Pick<Rpc, 'request' | 'serves'>;
  readonly log: Pick<Logger, 'info' | 'warn'>;
}

/** How long a missing router counts as missing: it may be deployed at any time. Code that was found never changes. */
const ABSENT_TTL_MS = 600_000;
const MAX_CHAINS = 1000;

interface CheckedRouter {
  readonly router: Address | undefined;
}

export function createRouterFinder({ rpc, log }: RouterDeps): FindRouter {
  const checked = new LRUCache<number, CheckedRouter>({ max: MAX_CHAINS });
  return async ({ chainId, slug, strategyRouter: address }) => {
    if (address === undefined) return undefined;
    const known = checked.get(chainId);
    if (known !== undefined) return known.router;
    const code = await rpc.request(chainId, (client) => client.getCode({ address }));
    const isOwn = code !== undefined && keccak256(code) === STRATEGY_ROUTER_CODE_HASH;
    checked.set(chainId, { router: isOwn ? address : undefined }, isOwn ? {} : { ttl: ABSENT_TTL_MS });
    if (isOwn) log.info({ chain: slug, router: address }, 'operations of strategies use the router');
    else log.warn({ chain: slug, router: address, hasCode: code !== undefined }, NOT_FOUND);
    return isOwn ? address : undefined;
  };
}

const NOT_FOUND =
  'the router of strategies is not at its address: operations are separate transactions without a minimum, whose fees a wallet can leave out';

/** Checks the routers of the chains when the process starts, so that the log shows what is missing. */
export async function checkRouters(
  findRouter: FindRouter,
  chains: readonly Chain[],
  { rpc, log }: RouterDeps,
): Promise<void> {
  const served = chains.filter(({ chainId }) => rpc.serves(chainId));
  await Promise.all(
    served.map(async (chain) => {
      try {
        await findRouter(chain);
      } catch (error) {
        log.warn({ chain: chain.slug, cause: describeFailure(error) }, 'the router of strategies could not be checked');
      }
    }),
  );
}
