import type { Address } from 'viem';
import { isNativeToken, tradedToken } from '../../../chains/addresses';
import type { AcrossDeployment, Chain } from '../../../chains/chain';
import type { QuoteRequest } from '../../quote-provider';

/** One end of a transfer: the chain, its Across contracts and the ERC-20 (the wrapper for the native coin). */
export interface AcrossEndpoint {
  readonly chain: Chain;
  readonly across: AcrossDeployment;
  readonly token: Address;
  readonly isNative: boolean;
}

export interface AcrossRoute {
  readonly origin: AcrossEndpoint;
  readonly destination: AcrossEndpoint;
}

type RouteRequest = Pick<QuoteRequest, 'origin' | 'destination' | 'tokenIn' | 'tokenOut'>;

/** The route of a request; `undefined` unless Across supports both chains and they differ. */
export function acrossRoute({ origin, destination, tokenIn, tokenOut }: RouteRequest): AcrossRoute | undefined {
  if (origin.chainId === destination.chainId) return undefined;
  const from = endOf(origin, tokenIn.address);
  const to = endOf(destination, tokenOut.address);
  return from === undefined || to === undefined ? undefined : { origin: from, destination: to };
}

function endOf(chain: Chain, token: string): AcrossEndpoint | undefined {
  const erc20 = tradedToken(chain, token as Address);
  if (chain.kind !== 'evm' || chain.across === undefined || erc20 === undefined) return undefined;
  return { chain, across: chain.across, token: erc20, isNative: isNativeToken(token) };
}
