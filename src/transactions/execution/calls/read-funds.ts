import { isNativeToken, NATIVE_TOKEN } from '../../../chains/addresses';
import { formatBaseUnits } from '../../../money/base-units';
import type { ProviderQuote, QuoteRequest, SwapCall } from '../../../venues/quote-provider';
import { readHoldings } from '../../../rpc/erc20';
import type { Rpc } from '../../../rpc/rpc';
import type { Token } from '../../../tokens/token';

export interface FundsRequest {
  readonly call: SwapCall;
  readonly request: Pick<QuoteRequest, 'origin' | 'tokenIn'>;
  readonly offer: Pick<ProviderQuote, 'maxAmountIn' | 'nativeFee'>;
  readonly signal: AbortSignal;
}

/** The sender's funds compared with the requirements of a call. */
export interface SenderFunds {
  /** Current allowance of the call's spender, in base units. */
  readonly allowance: bigint;
  /** Human-readable shortage; `undefined` when the funds suffice. */
  readonly shortage: string | undefined;
}

/** @throws PROVIDER_UNAVAILABLE when the chain cannot be read */
export async function readFunds(rpc: Pick<Rpc, 'multicall'>, fundsRequest: FundsRequest): Promise<SenderFunds> {
  const { call, request, signal } = fundsRequest;
  const required = requiredFunds(fundsRequest);
  const holdings = await readHoldings(
    { rpc, chainId: request.origin.chainId },
    required.map(({ address }) => ({ token: address, owner: call.from, spender: call.spender })),
    { signal },
  );
  const shortages = required.flatMap((need, index) => shortageOf(need, holdings[index]?.balance ?? 0n));
  return {
    allowance: holdings[0]?.allowance ?? 0n,
    shortage: shortages.length === 0 ? undefined : `the sender holds ${shortages.join(', and ')}`,
  };
}

interface RequiredFunds extends Pick<Token, 'address' | 'symbol' | 'decimals'> {
  readonly amount: bigint;
}

/** The input token, and the native coin for the provider's fee. */
function requiredFunds({ request: { origin, tokenIn }, offer }: FundsRequest): readonly RequiredFunds[] {
  const fee = offer.nativeFee ?? 0n;
  const coin = { ...origin.nativeCurrency, address: NATIVE_TOKEN };
  if (isNativeToken(tokenIn.address)) return [{ ...coin, amount: offer.maxAmountIn + fee }];
  const sold = { ...tokenIn, amount: offer.maxAmountIn };
  return fee === 0n ? [sold] : [sold, { ...coin, amount: fee }];
}

function shortageOf({ amount, symbol, decimals }: RequiredFunds, balance: bigint): readonly string[] {
  if (balance >= amount) return [];
  return [`${formatBaseUnits(balance, decimals)} ${symbol} of ${formatBaseUnits(amount, decimals)} needed`];
}
