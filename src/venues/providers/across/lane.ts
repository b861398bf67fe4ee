import type { Address } from 'viem';
import { isNativeToken, tradedToken } from '../../../chains/addresses';
import type { AcrossDeployment, Chain } from '../../../chains/chain';
import type { QuoteRequest } from '../../quote-provider';

/** One end of a transfer: a chain, its Across, and the ERC-20 that is moved (the wrapper for the native coin). */
export interface LaneEnd {
  readonly chain: Chain;
  readonly across: AcrossDeployment;
  readonly token: Address;
  readonly isNative: boolean;
}

export interface Lane {
  readonly origin: LaneEnd;
  readonly destination: LaneEnd;
}

type Route = Pick<QuoteRequest, 'origin' | 'destination' | 'tokenIn' | 'tokenOut'>;

/** `undefined` when Across is not on both chains, or they are one. */
export function laneOf({ origin, destination, tokenIn, tokenOut }: Route): Lane | undefined {
  if (origin.chainId === destination.chainId) return undefined;
  const from = endOf(origin, tokenIn.address);
  const to = endOf(destination, tokenOut.address);
  return from === undefined || to === undefined ? undefined : { origin: from, destination: to };
}

function endOf(chain: Chain, token: string): LaneEnd | undefined {
  const erc20 = tradedToken(chain, token as Address);
  if (chain.kind !== 'evm' || chain.across === undefined || erc20 === undefined) return undefined;
  return { chain, across: chain.across, token: erc20, isNative: isNativeToken(token) };
}
