import type { CctpDeployment, Chain } from '../../../chains/chain';
import type { QuoteRequest } from '../../quote-provider';

/** One end of a transfer: a chain and what the protocol has there. */
export interface LaneEnd {
  readonly chain: Chain;
  readonly cctp: CctpDeployment;
}

export interface Lane {
  readonly origin: LaneEnd;
  readonly destination: LaneEnd;
}

type Route = Pick<QuoteRequest, 'origin' | 'destination' | 'tokenIn' | 'tokenOut'>;

/** `undefined` unless USDC goes from one domain to another. */
export function laneOf({ origin, destination, tokenIn, tokenOut }: Route): Lane | undefined {
  const from = endOf(origin, tokenIn.address);
  const to = endOf(destination, tokenOut.address);
  if (from === undefined || to === undefined || from.cctp.domain === to.cctp.domain) return undefined;
  return { origin: from, destination: to };
}

function endOf(chain: Chain, token: string): LaneEnd | undefined {
  const { kind, cctp } = chain;
  if (kind !== 'evm' || cctp === undefined) return undefined;
  return cctp.usdc.toLowerCase() === token.toLowerCase() ? { chain, cctp } : undefined;
}
