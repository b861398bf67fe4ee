import { isNativeToken } from '../chains/addresses';

import { type BaseUnits, formatBaseUnits } from '../money/base-units';
import type { QuoteRequest, SwapCall } from '../quotes/quote-provider';
import { readHoldings } from '../rpc/erc20';
import type { Rpc } from '../rpc/rpc';

export interface FundsQuestion {
  readonly call: SwapCall;
  readonly request: Pick<QuoteRequest, 'origin' | 'tokenIn'>;
  /** The most of `tokenIn` that the call takes, in base units. */
  readonly amount: BaseUnits;
  readonly signal: AbortSignal;
}

/** What the sender of a call has of what the call takes. */
export interface Funds {
  /** What the spender of the call may take already, in base units. */
  readonly allowance: bigint;
  /** What is missing, in words; `undefined` when nothing is. */
  readonly shortage: string | undefined;
}

/** @throws PROVIDER_UNAVAILABLE when the chain could not be asked */
export async function readFunds(rpc: Pick<Rpc, 'multicall'>, question: FundsQuestion): Promise<Funds> {
  const { call, request, amount, signal } = question;
  const { origin, tokenIn } = request;
  const [token] = await readHoldings(
    { rpc, chainId: origin.chainId },
    [{ token: tokenIn.address, owner: call.from, spender: call.spender }],
    { signal },
  );
  const balance = token?.balance ?? 0n;
  const { symbol, decimals } = isNativeToken(tokenIn.address) ? origin.nativeCurrency : tokenIn;
  const shortage =
    balance >= amount
      ? undefined
      : `the sender holds ${formatBaseUnits(balance, decimals)} ${symbol} of ${formatBaseUnits(amount, decimals)} needed`;
  return { allowance: token?.allowance ?? 0n, shortage };
}
