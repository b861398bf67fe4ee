import { isNativeToken, NATIVE_TOKEN } from '../../../chains/addresses';
import { formatBaseUnits } from '../../../money/base-units';
import type { ProviderQuote, QuoteRequest, SwapCall } from '../../../venues/quote-provider';
import { readHoldings } from '../../../rpc/erc20';
import type { Rpc } from '../../../rpc/rpc';
import type { Token } from '../../../tokens/token';

export interface FundsQuestion {
  readonly call: SwapCall;
  readonly request: Pick<QuoteRequest, 'origin' | 'tokenIn'>;
  readonly offer: Pick<ProviderQuote, 'maxAmountIn' | 'nativeFee'>;
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
  const { call, request, signal } = question;
  const needs = needsOf(question);
  const holdings = await readHoldings(
    { rpc, chainId: request.origin.chainId },
    needs.map(({ address }) => ({ token: address, owner: call.from, spender: call.spender })),
    { signal },
  );
  const shortages = needs.flatMap((need, index) => shortageOf(need, holdings[index]?.balance ?? 0n));
  return {
    allowance: holdings[0]?.allowance ?? 0n,
    shortage: shortages.length === 0 ? undefined : `the sender holds ${shortages.join(', and ')}`,
  };
}

interface Need extends Pick<Token, 'address' | 'symbol' | 'decimals'> {
  readonly amount: bigint;
}

/** What is sold, and the native coin that goes along with it. */
function needsOf({ request: { origin, tokenIn }, offer }: FundsQuestion): readonly Need[] {
  const fee = offer.nativeFee ?? 0n;
  const coin = { ...origin.nativeCurrency, address: NATIVE_TOKEN };
  if (isNativeToken(tokenIn.address)) return [{ ...coin, amount: offer.maxAmountIn + fee }];
  const sold = { ...tokenIn, amount: offer.maxAmountIn };
  return fee === 0n ? [sold] : [sold, { ...coin, amount: fee }];
}

function shortageOf({ amount, symbol, decimals }: Need, balance: bigint): readonly string[] {
  if (balance >= amount) return [];
  return [`${formatBaseUnits(balance, decimals)} ${symbol} of ${formatBaseUnits(amount, decimals)} needed`];
}
