import type { CctpDeployment, Chain } from '../../../chains/chain';
import type { QuoteRequest } from '../../quote-provider';
import { isSameAddress } from '../../../chains/addresses';

/** One end of a transfer: a chain and its CCTP contracts. */
export interface CctpEndpoint {
  readonly chain: Chain;
  readonly cctp: CctpDeployment;
}

export interface CctpRoute {
  readonly origin: CctpEndpoint;
  readonly destination: CctpEndpoint;
}

type RouteRequest = Pick<QuoteRequest, 'origin' | 'destination' | 'tokenIn' | 'tokenOut'>;

/** The route of a request; `undefined` unless USDC is transferred from one domain to another. */
export function cctpRoute({ origin, destination, tokenIn, tokenOut }: RouteRequest): CctpRoute | undefined {
  const from = endOf(origin, tokenIn.address);
  const to = endOf(destination, tokenOut.address);
  if (from === undefined || to === undefined || from.cctp.domain === to.cctp.domain) return undefined;
  return { origin: from, destination: to };
}

function endOf(chain: Chain, token: string): CctpEndpoint | undefined {
  const { kind, cctp } = chain;
  if (kind !== 'evm' || cctp === undefined) return undefined;
  return isSameAddress(cctp.usdc, token) ? { chain, cctp } : undefined;
}
