import type { Address } from 'viem';
import { isNativeToken } from '../../../chains/addresses';
import { serviceError } from '../../../errors/service-error';
import type { HttpClient } from '../../../http/http-client';
import { providerUnavailable, UpstreamError } from '../../../http/upstream-error';
import { toBaseUnits } from '../../../money/base-units';
import type { Rpc } from '../../../rpc/rpc';
import type {
  BuildParameters,
  ProviderFee,
  ProviderQuote,
  QuoteProvider,
  QuoteRequest,
  RouteLeg,
  SwapCall,
} from '../../quote-provider';
import { sameChainTrade } from '../../same-chain-trade';
import { allowanceHolderOf, isSettler } from './contracts';
import { fetchPrice, fetchQuote, ZERO_EX } from './zero-ex-api';
import type { ZeroExPrice, ZeroExQuote } from './api-schemas';

export interface ZeroExDeps {
  /** HTTP client of 0x; its headers contain `0x-api-key` and `0x-version: v2`. */
  readonly http: Pick<HttpClient, 'get'>;
  readonly rpc: Pick<Rpc, 'serves' | 'multicall'>;
}

/** Used when a price contains no gas estimate. */
const TYPICAL_GAS = 350_000n;

/** Swaps within one chain through 0x; its AllowanceHolder receives the allowance. Exact inputs only. */
export function createZeroExProvider(deps: ZeroExDeps): QuoteProvider {
  return {
    id: ZERO_EX,
    capabilities: {
      supports: (request) =>
        request.side === 'in' &&
        sameChainTrade(request) !== undefined &&
        allowanceHolderOf(request.origin) !== undefined &&
        deps.rpc.serves(request.origin.chainId),
    },
    async quote(request, signal) {
      const holder = allowanceHolderOf(request.origin);
      if (holder === undefined || sameChainTrade(request) === undefined) return undefined;
      const { originAddress: taker, destinationAddress: recipient } = request;
      const slippageBps = toBps(request.slippage);
      if (taker === undefined) {
        const price = await fetchPrice(deps.http, { request, slippageBps, taker, recipient }, signal);
        return price && quoteOf(request, price, { holder, gas: price.gas });
      }
      const quote = await fetchQuote(deps.http, { request, slippageBps, taker, recipient }, signal);
      if (quote === undefined) return undefined;
      const flaw = await findFlaw(deps, { request, quote }, signal);
      if (flaw !== undefined) throw providerUnavailable(ZERO_EX, new UpstreamError(flaw, { kind: 'unreadable' }));
      return quoteOf(request, quote, { holder, gas: quote.transaction.gas });
    },
    build: (parameters, signal) => build(deps, parameters, signal),
  };
}

/** Rounded down: never more slippage than the caller accepts. */
const toBps = (share: bigint): number => Number.parseInt((share / 100n).toString(), 10);

interface Details {
  readonly holder: Address;
  readonly gas: bigint | null | undefined;
}

function quoteOf(request: QuoteRequest, price: ZeroExPrice, { holder, gas }: Details): ProviderQuote {
  const { chainId } = request.origin;
  const [tokenIn, tokenOut] = [price.sellToken, price.buyToken];
  const fills = price.route?.fills ?? [];
  const legs: readonly RouteLeg[] = fills.map(({ source, from, to, proportionBps }) => ({
    protocol: source,
    chainId,
    tokenIn: from,
    tokenOut: to,
    shareBps: proportionBps,
    pool: holder,
  }));
  return {
    provider: ZERO_EX,
    amountIn: toBaseUnits(price.sellAmount),
    maxAmountIn: toBaseUnits(price.sellAmount),
    expectedAmountOut: toBaseUnits(price.buyAmount),
    minAmountOut: toBaseUnits(price.minBuyAmount),
    route: legs.length > 0 ? legs : [{ protocol: '0x', chainId, tokenIn, tokenOut, shareBps: 10_000, pool: holder }],
    priceImpactBps: undefined,
    gasLimit: gas ?? TYPICAL_GAS,
    estimatedDurationSeconds: 15,
    fees: feesOf(price),
    execution: {},
  };
}

/** Fees included in the two amounts. */
function feesOf({ fees, sellToken, buyToken }: ZeroExPrice): readonly ProviderFee[] {
  if (fees === null || fees === undefined) return [];
  const integrators = fees.integratorFees ?? [fees.integratorFee];
  const charges = [
    { label: '0x fee', fee: fees.zeroExFee },
    ...integrators.map((fee) => ({ label: 'Integrator fee', fee })),
    { label: '0x gas fee', fee: fees.gasFee },
  ];
  return charges.flatMap(({ label, fee }) => {
    if (fee === null || fee === undefined || fee.amount === 0n) return [];
    if (fee.token !== sellToken && fee.token !== buyToken) return [];
    return [{ label, asset: fee.token === buyToken ? 'tokenOut' : 'tokenIn', amount: toBaseUnits(fee.amount) }];
  });
}

/**
 * Requests a fresh quote for the final wallets, because a quote of 0x is valid for seconds, with at least the quoted
 * minimum.
 *
 * @throws QUOTE_EXPIRED when the price moved by more than the slippage, BYTECODE_GENERATION_FAILED,
 * PROVIDER_UNAVAILABLE
 */
async function build(deps: ZeroExDeps, parameters: BuildParameters, signal: AbortSignal): Promise<SwapCall> {
  const { request, sender } = parameters;
  const quote = await fetchQuoteAgain(deps, parameters, signal);
  if (quote === undefined) throw serviceError('QUOTE_EXPIRED');
  const flaw = await findFlaw(deps, { request, quote }, signal);
  if (flaw !== undefined)
    throw serviceError('BYTECODE_GENERATION_FAILED', { reason: `the transaction of 0x is rejected: ${flaw}` });
  const { to, data, value } = quote.transaction;
  const spender = isNativeToken(request.tokenIn.address) ? undefined : allowanceHolderOf(request.origin);
  return { kind: 'call', chainId: request.origin.chainId, from: sender, to, data, value, spender };
}

const BPS = 10_000n;

/** A quote with at least the quoted minimum; `undefined` when the price moved too far. */
async function fetchQuoteAgain(
  { http }: ZeroExDeps,
  { request, quote: { minAmountOut }, sender: taker, recipient }: BuildParameters,
  signal: AbortSignal,
): Promise<ZeroExQuote | undefined> {
  const parameters = { request, taker, recipient };
  const quote = await fetchQuote(http, { ...parameters, slippageBps: toBps(request.slippage) }, signal);
  if (quote === undefined || quote.buyAmount < minAmountOut) return undefined;
  if (quote.minBuyAmount >= minAmountOut) return quote;
  // The price moved a little: a smaller slippage keeps the quoted minimum.
  const left = ((quote.buyAmount - minAmountOut) * BPS) / quote.buyAmount;
  const retried = await fetchQuote(http, { ...parameters, slippageBps: Number.parseInt(left.toString(), 10) }, signal);
  return retried !== undefined && retried.minBuyAmount >= minAmountOut ? retried : undefined;
}

/**
 * Returns what is wrong with a transaction: it may send only the sold amount, to a contract of 0x, and only
 * AllowanceHolder may receive an allowance. The calldata is checked by simulation.
 */
async function findFlaw(
  { rpc }: ZeroExDeps,
  { request, quote }: { readonly request: QuoteRequest; readonly quote: ZeroExQuote },
  signal: AbortSignal,
): Promise<string | undefined> {
  const holder = allowanceHolderOf(request.origin);
  const { to, value } = quote.transaction;
  const sellsNative = isNativeToken(request.tokenIn.address);
  if (value !== (sellsNative ? quote.sellAmount : 0n))
    return 'it sends another amount of native coin than the amount to sell';
  if (!sellsNative) {
    const spender = quote.issues.allowance?.spender ?? quote.allowanceTarget;
    if (spender !== holder) return 'it requests an allowance for another contract than AllowanceHolder';
    return to === holder ? undefined : 'it calls another contract than AllowanceHolder';
  }
  if (to === holder) return undefined;
  const { chainId } = request.origin;
  return (await isSettler({ rpc, chainId }, to, signal))
    ? undefined
    : 'it calls a contract that is not a contract of 0x';
}
