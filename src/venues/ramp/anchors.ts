import type { Chain } from '../../chains/chain';
import type { ChainTable } from '../../chains/chain-table';
import { isRealToken } from '../../ramps/limits';
import type { RampProvider, RampRoute } from '../../ramps/ramp-provider';
import type { QuoteRequest } from '../quote-provider';
import { pricedRoute } from './ramp-route';

/** A token that the ramp itself deals in, on the way from or to another one. */
export type Anchor = Pick<RampRoute, 'token' | 'chain'>;

/** Chains beside the own one on which anchors are looked for. */
const MOST_CHAINS = 4;

export interface AnchorDeps {
  readonly ramp: Pick<RampProvider, 'supports'>;
  readonly chains: ChainTable;
}

/**
 * The tokens by which a ramp can be reached from a token that it does not deal in: those of the same chain, and only where
 * there are none those of others. None of a route that the ramp serves itself, and none between reais and a token that
 * stands for reais: of a ramp that deals in none of it, that is no route.
 */
export function anchorsOf(
  { ramp, chains }: AnchorDeps,
  request: Pick<QuoteRequest, 'origin' | 'destination' | 'tokenIn' | 'tokenOut' | 'fiat'>,
): readonly Anchor[] {
  const route = pricedRoute(request);
  const thirdParty = request.fiat?.thirdParty === true;
  if (route === undefined || ramp.supports(route, { thirdParty })) return [];
  if (isDetour({ ramp, chains }, route)) return [];
  const anchorsOn = (chain: Chain): readonly Anchor[] =>
    // What leads to an anchor and away from it is a call on an EVM chain.
    (chain.kind === 'evm' ? chain.tokens : [])
      .map((token) => ({ token: { logoURI: undefined, ...token, chainId: chain.chainId }, chain }))
      .filter((anchor) => ramp.supports({ ...route, ...anchor }, { thirdParty }));
  const near = anchorsOn(route.chain);
  if (near.length > 0) return near;
  const others = chains.all.filter(({ chainId, kind }) => kind === 'evm' && chainId !== route.chain.chainId);
  return others
    .map(anchorsOn)
    .filter((anchors) => anchors.length > 0)
    .slice(0, MOST_CHAINS)
    .flat();
}

/** True of reais that would be changed into dollars and back. */
function isDetour({ ramp, chains }: AnchorDeps, route: RampRoute): boolean {
  const { currency, token } = route;
  if (currency !== 'BRL' || !isRealToken(token.symbol)) return false;
  const dealsInIt = chains.all.some((chain) =>
    chain.tokens.some((listed) => {
      const same = { logoURI: undefined, ...listed, chainId: chain.chainId };
      return listed.symbol === token.symbol && ramp.supports({ ...route, chain, token: same }, { thirdParty: false });
    }),
  );
  return !dealsInIt;
}
