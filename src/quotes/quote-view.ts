import { formatSlippage } from '../money/slippage';
import { formatUsd, formatUsdPrice, usdValue } from '../money/usd';
import type { Token } from '../tokens/token';
import { type FeeBreakdown, feeBreakdown, type GasEstimate, gasEstimate } from './fee-breakdown';
import { tradeImpact } from './price-impact';
import type { RouteLeg } from '../venues/quote-provider';
import type { PricedSwap } from './quote-swap';
import type { MarketPrice } from './market-data';
import type { TransferSpeed } from '../venues/quote-provider';

/** A token of a quote. `amount` is in its base units. US dollars are exact decimals, rounded down. */
interface QuoteTokenView {
  readonly contract: string;
  readonly symbol: string;
  readonly name: string;
  readonly decimals: number;
  readonly chainId: number;
  readonly amount: string;
  /** To a millionth. */
  readonly amountInUSD: string | undefined;
  /** For one whole token, to 24 decimals. */
  readonly priceInUSD: string | undefined;
  /** Source of the price: `peg`, or the pool as in `uniswap-v3:0x…`. */
  readonly priceSource: string | undefined;
  /** When the price was read, ISO 8601. */
  readonly priceAsOf: string | undefined;
  readonly logoURI: string | undefined;
}

interface QuoteTokenOutView extends QuoteTokenView {
  readonly expectedAmountOut: string;
  readonly minAmountOut: string;
}

/** Result of simulating a transaction on the latest block of its chain. */
export interface SimulationView {
  readonly status: 'SUCCESS' | 'INSUFFICIENT_BALANCE' | 'REVERTED' | 'UNAVAILABLE';
  /** Human-readable; absent on SUCCESS. */
  readonly reason: string | undefined;
}

/**
 * A quote as callers see it. Amounts in base units of their token, as decimal digits. US dollars are decimals as well:
 * the subgraph converts them to the numbers of the API.
 */
export interface QuoteView {
  readonly id: string;
  readonly quoteId: string;
  readonly status: 'pending';
  /** Unix seconds; `deadlineDate` is the same instant. */
  readonly deadline: number;
  readonly deadlineDate: string;
  readonly provider: string;
  readonly originChain: string;
  readonly destinationChain: string;
  readonly chainIdIn: number;
  readonly chainIdOut: number;
  readonly tokenIn: QuoteTokenView;
  readonly tokenOut: QuoteTokenOutView;
  readonly expectedAmountOut: string;
  readonly minAmountOut: string;
  /** Maximum amount that leaves the wallet; only for exact-output quotes. */
  readonly maxAmountIn: string | undefined;
  readonly slippage: string;
  /** `undefined` without market prices, from a provider that reports none. */
  readonly priceImpactBps: number | undefined;
  readonly feeBreakdown: FeeBreakdown;
  readonly gasEstimate: GasEstimate;
  readonly estimatedDurationSeconds: number;
  readonly route: readonly RouteLeg[];
  /** Only when the quote is executable. */
  readonly simulation: SimulationView | undefined;
  readonly feeSponsorship: boolean;
  /** The actual speed of the transfer. */
  readonly transferSpeed: TransferSpeed | undefined;
  readonly webhookURL: string | undefined;
  readonly rawQuote: unknown;
}

/** Results of simulating an executable quote. */
export interface SimulatedExecution {
  /** `undefined` when there is nothing to simulate, such as a deposit. */
  readonly simulation: SimulationView | undefined;
  /** Gas or compute units measured by the simulation; replaces the provider's estimate. */
  readonly gasLimit: bigint | undefined;
}

export function quoteView(swap: PricedSwap, execution?: SimulatedExecution): QuoteView {
  const { quoteId, intent, request, offer, deadline, market } = swap;
  const measured = { ...offer, gasLimit: execution?.gasLimit ?? offer.gasLimit };
  const trade = { request, offer: measured, market, sponsored: intent.feeSponsorship };
  return {
    id: quoteId,
    quoteId,
    status: 'pending',
    provider: request.fiat?.name ?? offer.provider,
    deadline: Math.floor(deadline.getTime() / 1000),
    deadlineDate: deadline.toISOString(),
    originChain: request.origin.slug,
    chainIdIn: request.origin.chainId,
    destinationChain: request.destination.slug,
    chainIdOut: request.destination.chainId,
    ...tokensOf(swap),
    expectedAmountOut: offer.expectedAmountOut.toString(),
    minAmountOut: offer.minAmountOut.toString(),
    maxAmountIn: request.side === 'out' ? offer.maxAmountIn.toString() : undefined,
    slippage: formatSlippage(request.slippage),
    priceImpactBps: tradeImpact(trade)?.bps,
    feeBreakdown: feeBreakdown(trade),
    gasEstimate: gasEstimate(trade),
    estimatedDurationSeconds: offer.estimatedDurationSeconds,
    route: offer.route,
    simulation: execution?.simulation,
    feeSponsorship: intent.feeSponsorship,
    transferSpeed: offer.transferSpeed,
    webhookURL: intent.webhookUrl,
    rawQuote: offer.rawQuote,
  };
}

function tokensOf({ intent, request, offer, market }: PricedSwap): Pick<QuoteView, 'tokenIn' | 'tokenOut'> {
  const tokenIn = {
    ...tokenView(request.tokenIn, offer.amountIn, market.tokenIn),
    contract: intent.tokenIn.requestedAddress,
  };
  const tokenOut = {
    ...tokenView(request.tokenOut, offer.expectedAmountOut, market.tokenOut),
    contract: intent.tokenOut.requestedAddress,
    expectedAmountOut: offer.expectedAmountOut.toString(),
    minAmountOut: offer.minAmountOut.toString(),
  };
  return { tokenIn, tokenOut };
}

function tokenView(token: Token, amount: bigint, price: MarketPrice | undefined): Omit<QuoteTokenView, 'contract'> {
  const { symbol, name, decimals, chainId, logoURI } = token;
  return {
    symbol,
    name,
    decimals,
    chainId,
    amount: amount.toString(),
    logoURI,
    amountInUSD: price === undefined ? undefined : formatUsd(usdValue(amount, decimals, price.usd)),
    priceInUSD: price === undefined ? undefined : formatUsdPrice(price.usd),
    priceSource: price?.source,
    priceAsOf: price?.asOf.toISOString(),
  };
}
