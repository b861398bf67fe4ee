import type { Chain } from '../../chains/chain';
import type { ChainTable } from '../../chains/chain-table';
import { isBrlToken } from '../../ramps/route-limits';
import type { RampProvider, RampRoute } from '../../ramps/ramp-provider';
import type { QuoteRequest } from '../quote-provider';
import { rampRouteOnRail } from './ramp-route';

/** A token that the ramp supports, between the ramp and the token of the request. */
export type RampToken = Pick<RampRoute, 'token' | 'chain'>;

/** Maximum number of other chains to search for ramp tokens. */
const MAX_CHAINS = 4;

export interface RampTokenDeps {
  readonly ramp: Pick<RampProvider, 'supports'>;
  readonly chains: ChainTable;
}

/**
 * The tokens through which a ramp is reachable for an unsupported token: those on the same chain, else those on other
 * chains. Empty for routes that the ramp supports directly, and for BRL tokens that it supports on no chain.
 */
export function rampTokensFor(
  { ramp, chains }: RampTokenDeps,
  request: Pick<QuoteRequest, 'origin' | 'destination' | 'tokenIn' | 'tokenOut' | 'fiat'>,
): readonly RampToken[] {
  const route = rampRouteOnRail(request);
  const thirdParty = request.fiat?.thirdParty === true;
  if (route === undefined || ramp.supports(route, { thirdParty })) return [];
  if (isCurrencyDetour({ ramp, chains }, route)) return [];
  const rampTokensOn = (chain: Chain): readonly RampToken[] =>
    // The leg to or from the ramp is a call on an EVM chain.
    (chain.kind === 'evm' ? chain.tokens : [])
      .map((token) => ({ token: { logoURI: undefined, ...token, chainId: chain.chainId }, chain }))
      .filter((rampToken) => ramp.supports({ ...route, ...rampToken }, { thirdParty }));
  const near = rampTokensOn(route.chain);
  if (near.length > 0) return near;
  const others = chains.all.filter(({ chainId, kind }) => kind === 'evm' && chainId !== route.chain.chainId);
  return others
    .map(rampTokensOn)
    .filter((rampTokens) => rampTokens.length > 0)
    .slice(0, MAX_CHAINS)
    .flat();
}

/** True when BRL would be converted to dollars and back. */
function isCurrencyDetour({ ramp, chains }: RampTokenDeps, route: RampRoute): boolean {
  const { currency, token } = route;
  if (currency !== 'BRL' || !isBrlToken(token.symbol)) return false;
  const isServed = chains.all.some((chain) =>
    chain.tokens.some((listed) => {
      const same = { logoURI: undefined, ...listed, chainId: chain.chainId };
      return listed.symbol === token.symbol && ramp.supports({ ...route, chain, token: same }, { thirdParty: false });
    }),
  );
  return !isServed;
}
