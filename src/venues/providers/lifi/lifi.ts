import type { z } from 'zod';
import { isNativeToken } from '../../../chains/addresses';
import { serviceError } from '../../../errors/service-error';
import type { HttpClient } from '../../../http/http-client';
import { providerUnavailable, UpstreamError } from '../../../http/upstream-error';
import { formatBaseUnits, toBaseUnits } from '../../../money/base-units';
import type { PartsPerMillion } from '../../../money/slippage';
import type { Rpc } from '../../../rpc/rpc';
import type { DeliveryProvider } from '../../delivery-provider';
import type {
  BuildParameters,
  ProviderFee,
  ProviderQuote,
  QuoteRequest,
  RouteLeg,
  SwapCall,
} from '../../quote-provider';
import { sameChainTrade } from '../../same-chain-trade';
import { diamondOf } from './diamond';
import { followTransfer } from './follow-transfer';
import { fetchStep, LIFI, type StepParameters } from './lifi-api';
import { isSameToken, checkStep } from './check-step';
import { type LifiApiError, parseApiError } from './api-error';
import { execution, type LifiStep } from './api-schemas';

export interface LifiDeps {
  /** HTTP client of LI.FI; its headers contain `x-lifi-api-key` when a key is configured. */
  readonly http: Pick<HttpClient, 'get'>;
  readonly rpc: Pick<Rpc, 'serves'>;
  /** Clock in Unix milliseconds; the system clock when absent. */
  readonly now?: () => number;
}

/** Used while no wallets are given: the API requires an address. An account without a known key. */
const PLACEHOLDER_WALLET = '0x000000000000000000000000000000000000dEaD';
/** Used when the response contains no gas limit. */
const TYPICAL_GAS = 500_000n;

/** LI.FI: swaps within and between EVM chains over the bridges and exchanges that it aggregates. Exact inputs only. */
export function createLifiProvider(deps: LifiDeps): DeliveryProvider {
  return {
    id: LIFI,
    capabilities: { supports: (request) => request.side === 'in' && isServed(deps, request) },
    async quote(request, signal) {
      if (request.side !== 'in' || !isServed(deps, request) || refundsElsewhere(request)) return undefined;
      const sender = request.originAddress ?? request.destinationAddress ?? PLACEHOLDER_WALLET;
      const recipient = request.destinationAddress ?? sender;
      const stepParameters = { request, sender, recipient, slippage: request.slippage };
      const step = await requestStep(deps, stepParameters, signal);
      return step === undefined ? undefined : quoteOf(step, stepParameters);
    },
    build: (parameters, signal) => build(deps, parameters, signal),
    deliveries: { follow: (transfer, signal) => followTransfer(deps, transfer, signal) },
  };
}

type RouteRequest = Pick<QuoteRequest, 'origin' | 'destination' | 'tokenIn' | 'tokenOut'>;

function isServed({ rpc }: LifiDeps, request: RouteRequest): boolean {
  const { origin, destination } = request;
  const chains = [origin, destination];
  if (!chains.every((chain) => chain.kind === 'evm' && rpc.serves(chain.chainId) && diamondOf(chain) !== undefined)) {
    return false;
  }
  return origin.chainId !== destination.chainId || sameChainTrade(request) !== undefined;
}

/** Bridges refund the sender: LI.FI accepts no other refund address. */
const refundsElsewhere = ({ origin, destination, originAddress, refundAddress }: QuoteRequest): boolean =>
  origin.chainId !== destination.chainId && refundAddress !== undefined && refundAddress !== originAddress;

/** @throws PROVIDER_UNAVAILABLE, AMOUNT_IN_TOO_LOW, AMOUNT_IN_TOO_HIGH, QUOTE_GENERATION_FAILED */
async function requestStep(
  { http }: LifiDeps,
  stepParameters: StepParameters,
  signal: AbortSignal,
): Promise<LifiStep | undefined> {
  try {
    return await fetchStep(http, stepParameters, signal);
  } catch (error) {
    const apiError = parseApiError(error);
    if (apiError === undefined) throw providerUnavailable(LIFI, error);
    if (apiError.kind === 'noRoute') return undefined;
    throw amountError(apiError, stepParameters.request);
  }
}

/** The error for a rejected amount. LI.FI does not report the bounds. */
function amountError({ kind, reason }: LifiApiError, { amount, tokenIn }: QuoteRequest) {
  const requested = `${formatBaseUnits(amount, tokenIn.decimals)} ${tokenIn.symbol}`;
  if (kind === 'amountTooLow') return serviceError('AMOUNT_IN_TOO_LOW', { minimum: `more than ${requested}` });
  if (kind === 'amountTooHigh') return serviceError('AMOUNT_IN_TOO_HIGH', { maximum: `less than ${requested}` });
  return serviceError('QUOTE_GENERATION_FAILED', { reason });
}

/** @throws PROVIDER_UNAVAILABLE for a step that differs from the request */
function quoteOf(step: LifiStep, stepParameters: StepParameters): ProviderQuote {
  const check = checkStep(step, stepParameters);
  if (check.outcome === 'invalid') {
    throw providerUnavailable(LIFI, new UpstreamError(check.flaw, { kind: 'unreadable' }));
  }
  const { estimate, tool } = step;
  return {
    provider: LIFI,
    amountIn: toBaseUnits(estimate.fromAmount),
    maxAmountIn: toBaseUnits(estimate.fromAmount),
    expectedAmountOut: toBaseUnits(estimate.toAmount),
    minAmountOut: toBaseUnits(estimate.toAmountMin),
    route: routeOf(step, stepParameters.request),
    priceImpactBps: undefined,
    gasLimit: gasOf(step),
    estimatedDurationSeconds: Math.ceil(estimate.executionDuration),
    fees: feesOf(step, stepParameters.request),
    nativeFee: check.nativeFee,
    execution: { tool } satisfies z.output<typeof execution>,
  };
}

function gasOf({ transactionRequest, estimate }: LifiStep): bigint {
  const sent = (estimate.gasCosts ?? []).filter(({ type }) => type === 'SEND');
  const limits = sent.reduce((sum, { limit }) => sum + (limit ?? 0n), 0n);
  return transactionRequest.gasLimit ?? (limits > 0n ? limits : TYPICAL_GAS);
}

function routeOf({ tool, action, includedSteps }: LifiStep, { origin }: QuoteRequest): readonly RouteLeg[] {
  const pool = diamondOf(origin) ?? PLACEHOLDER_WALLET;
  // Steps of type `protocol` charge fees and swap no token.
  const steps = (includedSteps ?? []).filter(({ type }) => type !== 'protocol');
  const legs = steps.length > 0 ? steps : [{ tool, action }];
  return legs.map((leg) => ({
    protocol: leg.tool,
    chainId: leg.action.fromChainId,
    shareBps: 10_000,
    pool,
    tokenIn: leg.action.fromToken.address,
    tokenOut: leg.action.toToken.address,
  }));
}

/** Fees included in the two amounts. */
function feesOf(
  { estimate }: LifiStep,
  { origin, destination, tokenIn, tokenOut }: QuoteRequest,
): readonly ProviderFee[] {
  return (estimate.feeCosts ?? []).flatMap(({ name, amount, token, included }): readonly ProviderFee[] => {
    if (!included || amount === 0n) return [];
    const fee = { label: name, amount: toBaseUnits(amount) };
    if (token.chainId === origin.chainId && isSameToken(token.address, tokenIn.address)) {
      return [{ ...fee, asset: 'tokenIn' }];
    }
    const isOut = token.chainId === destination.chainId && isSameToken(token.address, tokenOut.address);
    return isOut ? [{ ...fee, asset: 'tokenOut' }] : [];
  });
}

/**
 * Requests the step again for the final wallets and the quoted bridge, with at least the quoted minimum.
 *
 * @throws QUOTE_EXPIRED when price or fee moved too far, BYTECODE_GENERATION_FAILED, PROVIDER_UNAVAILABLE
 */
async function build(deps: LifiDeps, parameters: BuildParameters, signal: AbortSignal): Promise<SwapCall> {
  const { request, quote, sender, recipient } = parameters;
  const step = await requestStepAgain(deps, parameters, signal);
  if (step === undefined) throw quoteExpired();
  const check = checkStep(step, { request, sender, recipient });
  if (check.outcome === 'invalid') throw buildError(`the transaction of LI.FI is rejected: ${check.flaw}`);
  // The native fee must equal the quoted one.
  if (check.nativeFee !== (quote.nativeFee ?? 0n)) throw quoteExpired();
  const { to, data, value } = step.transactionRequest;
  const { approvalAddress } = step.estimate;
  const sellsNative = isNativeToken(request.tokenIn.address);
  const spender = sellsNative ? undefined : (approvalAddress ?? undefined);
  return { kind: 'call', chainId: request.origin.chainId, from: sender, to, data, value, spender };
}

const WHOLE = 1_000_000n;

/** A step with at least the quoted minimum; `undefined` when the price moved too far. */
async function requestStepAgain(
  { http }: LifiDeps,
  { request, quote, sender, recipient }: BuildParameters,
  signal: AbortSignal,
): Promise<LifiStep | undefined> {
  const tool = execution.safeParse(quote.execution).data?.tool;
  const fetchWithSlippage = async (slippage: PartsPerMillion): Promise<LifiStep | undefined> => {
    try {
      return await fetchStep(http, { request, sender, recipient, tool, slippage }, signal);
    } catch (error) {
      const apiError = parseApiError(error);
      if (apiError === undefined) throw providerUnavailable(LIFI, error);
      if (apiError.kind === 'invalid') throw buildError(apiError.reason);
      return undefined;
    }
  };
  const step = await fetchWithSlippage(request.slippage);
  if (step === undefined || step.estimate.toAmount < quote.minAmountOut) return undefined;
  if (step.estimate.toAmountMin >= quote.minAmountOut) return step;
  // The price moved a little: a smaller slippage keeps the quoted minimum.
  const left = ((step.estimate.toAmount - quote.minAmountOut) * WHOLE) / step.estimate.toAmount;
  if (left === 0n) return undefined;
  const retried = await fetchWithSlippage(left as PartsPerMillion);
  return retried !== undefined && retried.estimate.toAmountMin >= quote.minAmountOut ? retried : undefined;
}

const buildError = (reason: string) => serviceError('BYTECODE_GENERATION_FAILED', { reason });

const quoteExpired = () => serviceError('QUOTE_EXPIRED');
