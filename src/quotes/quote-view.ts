import { formatSlippage } from '../money/slippage';
import { toUsd } from '../money/usd';
import type { Token } from '../tokens/token';
import { type FeeBreakdown, feeBreakdown, type GasEstimate, gasEstimate } from './fee-breakdown';
import type { RouteLeg } from './quote-provider';
import type { PricedSwap } from './quote-swap';
import type { TransferSpeed } from './swap-intent';

/** A token of a quote. `amount` is in its base units, prices are US dollars. */
interface QuoteTokenView {
  readonly contract: string;
  readonly symbol: string;
  readonly name: string;
  readonly decimals: number;
  readonly chainId: number;
  readonly amount: string;
  readonly amountInUSD: number | undefined;
  readonly priceInUSD: number | undefined;
  readonly logoURI: string | undefined;
}

interface QuoteTokenOutView extends QuoteTokenView {
  readonly expectedAmountOut: string;
  readonly minAmountOut: string;
}

/** What trying a transaction on the newest block of its chain showed. */
export interface SimulationView {
  readonly status: 'SUCCESS' | 'INSUFFICIENT_BALANCE' | 'REVERTED' | 'UNAVAILABLE';
  /** In words; absent on SUCCESS. */
  readonly reason: string | undefined;
}

/** A quote as callers see it. Amounts in base units of their token, as decimal digits. */
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
  /** The most that leaves the wallet; only when an exact amount out was asked for. */
  readonly maxAmountIn: string | undefined;
  readonly slippage: string;
  readonly priceImpactBps: number;
  readonly feeBreakdown: FeeBreakdown;
  readonly gasEstimate: GasEstimate;
  readonly estimatedDurationSeconds: number;
  readonly route: readonly RouteLeg[];
  /** Only when the quote is executable. */
  readonly simulation: SimulationView | undefined;
  readonly feeSponsorship: boolean;
  readonly transferSpeed: TransferSpeed | undefined;
  readonly webhookURL: string | undefined;
  readonly rawQuote: unknown;
}

/** What only an executable quote has: its transaction was tried. */
export interface Trial {
  readonly simulation: SimulationView;
  /** Gas units that the simulation measured, in place of the provider's estimate. */
  readonly gasLimit: bigint | undefined;
}

export function quoteView(swap: PricedSwap, trial?: Trial): QuoteView {
  const { quoteId, intent, request, offer, deadline, market } = swap;
  const trade = { request, offer: { ...offer, gasLimit: trial?.gasLimit ?? offer.gasLimit }, market };
  return {
    ...{ id: quoteId, quoteId, status: 'pending', provider: offer.provider },
    ...{ deadline: Math.floor(deadline.getTime() / 1000), deadlineDate: deadline.toISOString() },
    ...{ originChain: request.origin.slug, chainIdIn: request.origin.chainId },
    ...{ destinationChain: request.destination.slug, chainIdOut: request.destination.chainId },
    ...tokensOf(swap),
    expectedAmountOut: offer.expectedAmountOut.toString(),
    minAmountOut: offer.minAmountOut.toString(),
    maxAmountIn: request.side === 'out' ? offer.maxAmountIn.toString() : undefined,
    slippage: formatSlippage(request.slippage),
    priceImpactBps: Math.round(offer.priceImpactBps),
    feeBreakdown: feeBreakdown(trade),
    gasEstimate: gasEstimate(trade),
    estimatedDurationSeconds: offer.estimatedDurationSeconds,
    route: offer.route,
    simulation: trial?.simulation,
    feeSponsorship: intent.feeSponsorship,
    transferSpeed: intent.transferSpeed,
    webhookURL: intent.webhookUrl,
    rawQuote: offer.rawQuote,
  };
}

function tokensOf({ intent, request, offer, market }: PricedSwap): Pick<QuoteView, 'tokenIn' | 'tokenOut'> {
  const tokenIn = {
    ...tokenView(request.tokenIn, offer.amountIn, market.tokenInUsd),
    contract: intent.tokenIn.shownAddress,
  };
  const tokenOut = {
    ...tokenView(request.tokenOut, offer.expectedAmountOut, market.tokenOutUsd),
    contract: intent.tokenOut.shownAddress,
    expectedAmountOut: offer.expectedAmountOut.toString(),
    minAmountOut: offer.minAmountOut.toString(),
  };
  return { tokenIn, tokenOut };
}

function tokenView(token: Token, amount: bigint, priceInUSD: number | undefined): Omit<QuoteTokenView, 'contract'> {
  const { symbol, name, decimals, chainId, logoURI } = token;
  const amountInUSD = priceInUSD === undefined ? undefined : toUsd(amount, decimals, priceInUSD);
  return { symbol, name, decimals, chainId, amount: amount.toString(), amountInUSD, priceInUSD, logoURI };
}
