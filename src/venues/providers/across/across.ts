import { serviceError } from '../../../errors/service-error';
import type { HttpClient } from '../../../http/http-client';
import { toBaseUnits } from '../../../money/base-units';
import { lessShare } from '../../../money/slippage';
import type { Rpc } from '../../../rpc/rpc';
import { amountInTooHigh, amountInTooLow } from '../../amount-bounds';
import type { BridgeProvider } from '../../delivery-source';
import type { BuildParameters, ProviderFee, ProviderQuote, QuoteRequest, SwapCall } from '../../quote-provider';
import { bridgeFailed, type Refusal, refusalOf, unavailable } from './api-failure';
import { followDeposit } from './follow-deposit';
import { type Lane, laneOf } from './lane';
import { readDeposit } from './read-deposit';
import { askLimits, askSwap, type Parties, type SwapAnswer } from './swap-api';

export interface AcrossDeps {
  /** Across' API; its key, if any, is in the client's headers. */
  readonly http: HttpClient;
  readonly rpc: Pick<Rpc, 'serves' | 'ask' | 'multicall'>;
  /** Two bytes in hexadecimal by which Across knows the integrator. */
  readonly integratorId?: string | undefined;
}

const ID = 'across';
/** Stands for wallets that are not known yet; the API prices nothing without. An account, and nobody's. */
const NOBODY = '0x000000000000000000000000000000000000dEaD';
/** Measured: up to 97,000; with room for tokens behind proxies. */
const GAS_LIMIT = 180_000n;

/**
 * Across: one token to itself on another chain, paid out by relayers within seconds. A deposit is filled with what it
 * says, or paid back after its deadline.
 */
export function createAcrossProvider(deps: AcrossDeps): BridgeProvider {
  return {
    id: ID,
    capabilities: {
      supports: (request) =>
        request.side === 'in' &&
        laneOf(request) !== undefined &&
        [request.origin, request.destination].every(({ chainId }) => deps.rpc.serves(chainId)),
    },
    async quote(request, signal) {
      const lane = laneOf(request);
      if (lane === undefined || request.side !== 'in') return undefined;
      const parties = partiesOf(request);
      const answer = await askPrice(deps, { request, lane, parties }, signal);
      return answer === undefined ? undefined : quoteOf(answer, { request, lane, parties });
    },
    build: (parameters, signal) => build(deps, parameters, signal),
    deliveries: { follow: (shipment, signal) => followDeposit(deps, shipment, signal) },
  };
}

interface Transfer {
  readonly request: QuoteRequest;
  readonly lane: Lane;
  readonly parties: Parties;
}

function partiesOf({ originAddress, destinationAddress, refundAddress }: QuoteRequest): Parties {
  const sender = originAddress ?? destinationAddress ?? NOBODY;
  return { sender, recipient: destinationAddress ?? sender, refundTo: refundAddress ?? sender };
}

const questionOf = ({ integratorId }: AcrossDeps, { request, lane, parties }: Transfer) => ({
  lane,
  parties,
  integratorId,
  amount: request.amount,
  slippage: request.slippage,
});

async function askPrice(deps: AcrossDeps, transfer: Transfer, signal: AbortSignal): Promise<SwapAnswer | undefined> {
  try {
    return await askSwap(deps.http, questionOf(deps, transfer), signal);
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal === undefined) throw unavailable(ID, error);
    if (refusal.kind === 'noRoute') return undefined;
    throw await refused(deps, { refusal, transfer }, signal);
  }
}

/** A refusal of an amount names the bound, which the API tells elsewhere. */
async function refused(
  { http }: AcrossDeps,
  { refusal, transfer: { lane, request } }: { refusal: Refusal; transfer: Transfer },
  signal: AbortSignal,
) {
  const inWords = serviceError('QUOTE_GENERATION_FAILED', { reason: refusal.reason });
  if (refusal.kind === 'invalid') return inWords;
  const limits = await askLimits(http, lane, signal).catch(() => undefined);
  if (limits === undefined) return inWords;
  return refusal.kind === 'amountTooLow'
    ? amountInTooLow(limits.minDeposit, request.tokenIn)
    : amountInTooHigh(limits.maxDeposit, request.tokenIn);
}

function quoteOf(answer: SwapAnswer, { request, lane, parties }: Transfer): ProviderQuote | undefined {
  const reading = readDeposit(answer, { lane, parties, amount: request.amount });
  if (reading.outcome === 'foreign') return undefined;
  if (reading.outcome === 'flawed') {
    throw serviceError('PROVIDER_UNAVAILABLE', { provider: ID, reason: `its deposit ${reading.reason}` });
  }
  const expectedAmountOut = toBaseUnits(reading.outputAmount);
  const { origin, destination } = lane;
  return {
    provider: ID,
    amountIn: request.amount,
    maxAmountIn: request.amount,
    expectedAmountOut,
    // The relayer's gas moves with every block: the deposit that is signed in the end may promise a little less.
    minAmountOut: atLeastOne(lessShare(expectedAmountOut, request.slippage)),
    route: [
      {
        protocol: ID,
        chainId: origin.chain.chainId,
        pool: origin.across.spokePool,
        shareBps: 10_000,
        tokenIn: origin.token,
        tokenOut: destination.token,
      },
    ],
    priceImpactBps: 0,
    gasLimit: GAS_LIMIT,
    estimatedDurationSeconds: Math.ceil(answer.expectedFillTime),
    fees: feesOf(answer),
    execution: {},
  };
}

const atLeastOne = (amount: ProviderQuote['minAmountOut']) => (amount > 0n ? amount : toBaseUnits(1n));

function feesOf({ steps }: SwapAnswer): readonly ProviderFee[] {
  const { details } = steps.bridge.fees;
  if (details === undefined) return [];
  const lines: readonly (readonly [label: string, amount: bigint])[] = [
    ['Across relayer fee', details.relayerCapital.amount],
    ['Across destination gas', details.destinationGas.amount],
    ['Across liquidity provider fee', details.lp.amount],
  ];
  return lines
    .filter(([, amount]) => amount > 0n)
    .map(([label, amount]) => ({ label, asset: 'tokenIn', amount: toBaseUnits(amount) }));
}

/** Asks anew, for the wallets that are known by now: deposits age, and prices with them. */
async function build(deps: AcrossDeps, parameters: BuildParameters, signal: AbortSignal): Promise<SwapCall> {
  const { request, quote, sender, recipient } = parameters;
  const lane = laneOf(request);
  if (lane === undefined) throw unusable('Across does not serve the route');
  const parties = { sender, recipient, refundTo: request.refundAddress ?? sender };
  const answer = await askDeposit(deps, { request, lane, parties }, signal);
  const reading = readDeposit(answer, { lane, parties, amount: quote.amountIn });
  if (reading.outcome !== 'fits') throw unusable(`the deposit that Across made is refused: ${reading.reason}`);
  if (reading.outputAmount < answer.minOutputAmount) throw unusable('the deposit delivers less than Across says');
  if (reading.outputAmount < quote.minAmountOut) throw expired();
  const { spokePool } = lane.origin.across;
  const { isNative, chain } = lane.origin;
  return {
    kind: 'call',
    chainId: chain.chainId,
    from: sender,
    to: spokePool,
    data: answer.swapTx.data,
    value: isNative ? quote.amountIn : 0n,
    spender: isNative ? undefined : spokePool,
  };
}

async function askDeposit(deps: AcrossDeps, transfer: Transfer, signal: AbortSignal): Promise<SwapAnswer> {
  try {
    return await askSwap(deps.http, questionOf(deps, transfer), signal);
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal === undefined) throw bridgeFailed(error);
    throw refusal.kind === 'invalid' ? unusable(refusal.reason) : expired();
  }
}

const unusable = (reason: string) => serviceError('BYTECODE_GENERATION_FAILED', { reason });

/** The caller knows the quote by its id, the provider does not. */
const expired = () => serviceError('QUOTE_EXPIRED');
