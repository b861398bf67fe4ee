import type { z } from 'zod';
import { isNativeToken } from '../../../chains/addresses';
import { serviceError } from '../../../errors/service-error';
import type { HttpClient } from '../../../http/http-client';
import { providerUnavailable, UpstreamError } from '../../../http/upstream-error';
import { formatBaseUnits, toBaseUnits } from '../../../money/base-units';
import type { PartsPerMillion } from '../../../money/slippage';
import type { Rpc } from '../../../rpc/rpc';
import type { BridgeProvider } from '../../delivery-source';
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
import { askStep, ID, type LifiQuestion } from './lifi-api';
import { isSameToken, readStep } from './read-step';
import { type Refusal, refusalOf } from './refusal';
import { execution, type Step } from './wire';

export interface LifiDeps {
  /** Speaks to LI.FI; its headers carry `x-lifi-api-key`, if there is one. */
  readonly http: Pick<HttpClient, 'get'>;
  readonly rpc: Pick<Rpc, 'serves'>;
  /** Milliseconds since the epoch; the clock of this machine when absent. */
  readonly now?: () => number;
}

/** Stands for wallets that are not known yet: the interface asks for them. An account, and nobody's. */
const NOBODY = '0x000000000000000000000000000000000000dEaD';
/** For an answer that does not say what its transaction takes. */
const TYPICAL_GAS = 500_000n;

/** LI.FI: swaps within and between EVM chains over the bridges and exchanges that it knows. Exact amounts in. */
export function createLifiProvider(deps: LifiDeps): BridgeProvider {
  return {
    id: ID,
    capabilities: { supports: (request) => request.side === 'in' && isServed(deps, request) },
    async quote(request, signal) {
      if (request.side !== 'in' || !isServed(deps, request) || refundsElsewhere(request)) return undefined;
      const sender = request.originAddress ?? request.destinationAddress ?? NOBODY;
      const recipient = request.destinationAddress ?? sender;
      const question = { request, sender, recipient, slippage: request.slippage };
      const step = await askPrice(deps, question, signal);
      return step === undefined ? undefined : quoteOf(step, question);
    },
    build: (parameters, signal) => build(deps, parameters, signal),
    deliveries: { follow: (shipment, signal) => followTransfer(deps, shipment, signal) },
  };
}

type Route = Pick<QuoteRequest, 'origin' | 'destination' | 'tokenIn' | 'tokenOut'>;

function isServed({ rpc }: LifiDeps, request: Route): boolean {
  const { origin, destination } = request;
  const chains = [origin, destination];
  if (!chains.every((chain) => chain.kind === 'evm' && rpc.serves(chain.chainId) && diamondOf(chain) !== undefined)) {
    return false;
  }
  return origin.chainId !== destination.chainId || sameChainTrade(request) !== undefined;
}

/** What a bridge cannot deliver goes back to the sender: LI.FI takes no other address. */
const refundsElsewhere = ({ origin, destination, originAddress, refundAddress }: QuoteRequest): boolean =>
  origin.chainId !== destination.chainId && refundAddress !== undefined && refundAddress !== originAddress;

/** @throws PROVIDER_UNAVAILABLE, AMOUNT_IN_TOO_LOW, AMOUNT_IN_TOO_HIGH, QUOTE_GENERATION_FAILED */
async function askPrice({ http }: LifiDeps, question: LifiQuestion, signal: AbortSignal): Promise<Step | undefined> {
  try {
    return await askStep(http, question, signal);
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal === undefined) throw providerUnavailable(ID, error);
    if (refusal.kind === 'noRoute') return undefined;
    throw refused(refusal, question.request);
  }
}

/** LI.FI does not say where the bounds are. */
function refused({ kind, reason }: Refusal, { amount, tokenIn }: QuoteRequest) {
  const asked = `${formatBaseUnits(amount, tokenIn.decimals)} ${tokenIn.symbol}`;
  if (kind === 'amountTooLow') return serviceError('AMOUNT_IN_TOO_LOW', { minimum: `more than ${asked}` });
  if (kind === 'amountTooHigh') return serviceError('AMOUNT_IN_TOO_HIGH', { maximum: `less than ${asked}` });
  return serviceError('QUOTE_GENERATION_FAILED', { reason });
}

/** @throws PROVIDER_UNAVAILABLE for a step that may not be signed */
function quoteOf(step: Step, asked: LifiQuestion): ProviderQuote {
  const reading = readStep(step, asked);
  if (reading.outcome === 'flawed') {
    throw providerUnavailable(ID, new UpstreamError(reading.flaw, { kind: 'unreadable' }));
  }
  const { estimate, tool } = step;
  return {
    provider: ID,
    amountIn: toBaseUnits(estimate.fromAmount),
    maxAmountIn: toBaseUnits(estimate.fromAmount),
    expectedAmountOut: toBaseUnits(estimate.toAmount),
    minAmountOut: toBaseUnits(estimate.toAmountMin),
    route: routeOf(step, asked.request),
    // LI.FI does not tell it.
    priceImpactBps: 0,
    gasLimit: gasOf(step),
    estimatedDurationSeconds: Math.ceil(estimate.executionDuration),
    fees: feesOf(step, asked.request),
    nativeFee: reading.nativeFee,
    execution: { tool } satisfies z.output<typeof execution>,
  };
}

function gasOf({ transactionRequest, estimate }: Step): bigint {
  const sent = (estimate.gasCosts ?? []).filter(({ type }) => type === 'SEND');
  const limits = sent.reduce((sum, { limit }) => sum + (limit ?? 0n), 0n);
  return transactionRequest.gasLimit ?? (limits > 0n ? limits : TYPICAL_GAS);
}

function routeOf({ tool, action, includedSteps }: Step, { origin }: QuoteRequest): readonly RouteLeg[] {
  const pool = diamondOf(origin) ?? NOBODY;
  // Steps of the type `protocol` take fees, and change no token.
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

/** The fees that are taken of the two amounts; they are taken off already. */
function feesOf({ estimate }: Step, { origin, destination, tokenIn, tokenOut }: QuoteRequest): readonly ProviderFee[] {
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
 * Asks anew, for the wallets that are known by now and the bridge that was quoted. What was promised is kept.
 *
 * @throws QUOTE_EXPIRED when price or fee moved by more than was quoted, BYTECODE_GENERATION_FAILED, PROVIDER_UNAVAILABLE
 */
async function build(deps: LifiDeps, parameters: BuildParameters, signal: AbortSignal): Promise<SwapCall> {
  const { request, quote, sender, recipient } = parameters;
  const step = await askAgain(deps, parameters, signal);
  if (step === undefined) throw expired();
  const reading = readStep(step, { request, sender, recipient });
  if (reading.outcome === 'flawed') throw unusable(`LI.FI is refused: ${reading.flaw}`);
  // What is sent along was quoted to the wei.
  if (reading.nativeFee !== (quote.nativeFee ?? 0n)) throw expired();
  const { to, data, value } = step.transactionRequest;
  const { approvalAddress } = step.estimate;
  const sellsNative = isNativeToken(request.tokenIn.address);
  const spender = sellsNative ? undefined : (approvalAddress ?? undefined);
  return { kind: 'call', chainId: request.origin.chainId, from: sender, to, data, value, spender };
}

const WHOLE = 1_000_000n;

/** A step that still promises what was promised; `undefined` when there is none any more. */
async function askAgain(
  { http }: LifiDeps,
  { request, quote, sender, recipient }: BuildParameters,
  signal: AbortSignal,
): Promise<Step | undefined> {
  const tool = execution.safeParse(quote.execution).data?.tool;
  const ask = async (slippage: PartsPerMillion): Promise<Step | undefined> => {
    try {
      return await askStep(http, { request, sender, recipient, tool, slippage }, signal);
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal === undefined) throw providerUnavailable(ID, error);
      if (refusal.kind === 'invalid') throw unusable(refusal.reason);
      return undefined;
    }
  };
  const step = await ask(request.slippage);
  if (step === undefined || step.estimate.toAmount < quote.minAmountOut) return undefined;
  if (step.estimate.toAmountMin >= quote.minAmountOut) return step;
  // The price moved a little. What is left of the slippage keeps the minimum where it was.
  const left = ((step.estimate.toAmount - quote.minAmountOut) * WHOLE) / step.estimate.toAmount;
  if (left === 0n) return undefined;
  const tighter = await ask(left as PartsPerMillion);
  return tighter !== undefined && tighter.estimate.toAmountMin >= quote.minAmountOut ? tighter : undefined;
}

const unusable = (reason: string) => serviceError('BYTECODE_GENERATION_FAILED', { reason });

/** The caller knows the quote by its id, the provider does not. */
const expired = () => serviceError('QUOTE_EXPIRED');
