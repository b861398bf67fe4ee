import { serviceError } from '../../../errors/service-error';
import type { HttpClient } from '../../../http/http-client';
import { toBaseUnits } from '../../../money/base-units';
import type { Rpc } from '../../../rpc/rpc';
import { amountInTooHigh, amountInTooLow } from '../../amount-bounds';
import type { DeliveryProvider } from '../../delivery-provider';
import type { BuildParameters, ProviderFee, ProviderQuote, QuoteRequest, SwapCall } from '../../quote-provider';
import { asBridgeApiError, asProviderUnavailable } from '../../provider-errors';
import { type AcrossApiError, parseApiError } from './api-error';
import { followDeposit } from './follow-deposit';
import { type AcrossRoute, acrossRoute } from './across-route';
import { checkDeposit } from './check-deposit';
import { fetchLimits, fetchSwapQuote, type TransferParties, type SwapApiQuote } from './swap-api';
import { minimumOutput } from '../../minimum-output';

export interface AcrossDeps {
  /** Across' API; its key, if any, is in the client's headers. */
  readonly http: HttpClient;
  readonly rpc: Pick<Rpc, 'serves' | 'request' | 'multicall'>;
  /** Integrator id at Across: two bytes in hexadecimal. */
  readonly integratorId?: string | undefined;
}

const ID = 'across';
/** Used while no wallets are given: the API requires an address. An account without a known key. */
const PLACEHOLDER_WALLET = '0x000000000000000000000000000000000000dEaD';
/** Measured: up to 97,000; with a margin for tokens behind proxies. */
const GAS_LIMIT = 180_000n;

/**
 * Across: transfers a token to the same token on another chain, paid out by relayers within seconds. A deposit is filled
 * with its output amount, or refunded after its deadline.
 */
export function createAcrossProvider(deps: AcrossDeps): DeliveryProvider {
  return {
    id: ID,
    capabilities: {
      supports: (request) =>
        request.side === 'in' &&
        acrossRoute(request) !== undefined &&
        [request.origin, request.destination].every(({ chainId }) => deps.rpc.serves(chainId)),
    },
    async quote(request, signal) {
      const route = acrossRoute(request);
      if (route === undefined || request.side !== 'in') return undefined;
      const parties = transferParties(request);
      const response = await requestQuote(deps, { request, route, parties }, signal);
      return response === undefined ? undefined : quoteOf(response, { request, route, parties });
    },
    build: (parameters, signal) => build(deps, parameters, signal),
    deliveries: { follow: (transfer, signal) => followDeposit(deps, transfer, signal) },
  };
}

interface Transfer {
  readonly request: QuoteRequest;
  readonly route: AcrossRoute;
  readonly parties: TransferParties;
}

function transferParties({ originAddress, destinationAddress, refundAddress }: QuoteRequest): TransferParties {
  const sender = originAddress ?? destinationAddress ?? PLACEHOLDER_WALLET;
  return { sender, recipient: destinationAddress ?? sender, refundTo: refundAddress ?? sender };
}

const swapParameters = ({ integratorId }: AcrossDeps, { request, route, parties }: Transfer) => ({
  route,
  parties,
  integratorId,
  amount: request.amount,
  slippage: request.slippage,
});

async function requestQuote(
  deps: AcrossDeps,
  transfer: Transfer,
  signal: AbortSignal,
): Promise<SwapApiQuote | undefined> {
  try {
    return await fetchSwapQuote(deps.http, swapParameters(deps, transfer), signal);
  } catch (error) {
    const apiError = parseApiError(error);
    if (apiError === undefined) throw asProviderUnavailable(ID, error);
    if (apiError.kind === 'noRoute') return undefined;
    throw await amountError(deps, { apiError, transfer }, signal);
  }
}

/** The error for a rejected amount. Its bound comes from the limits endpoint. */
async function amountError(
  { http }: AcrossDeps,
  { apiError, transfer: { route, request } }: { apiError: AcrossApiError; transfer: Transfer },
  signal: AbortSignal,
) {
  const generalError = serviceError('QUOTE_GENERATION_FAILED', { reason: apiError.reason });
  if (apiError.kind === 'invalid') return generalError;
  const limits = await fetchLimits(http, route, signal).catch(() => undefined);
  if (limits === undefined) return generalError;
  return apiError.kind === 'amountTooLow'
    ? amountInTooLow(limits.minDeposit, request.tokenIn)
    : amountInTooHigh(limits.maxDeposit, request.tokenIn);
}

function quoteOf(response: SwapApiQuote, { request, route, parties }: Transfer): ProviderQuote | undefined {
  const check = checkDeposit(response, { route, parties, amount: request.amount });
  if (check.outcome === 'unsupported') return undefined;
  if (check.outcome === 'invalid') {
    throw serviceError('PROVIDER_UNAVAILABLE', { provider: ID, reason: `its deposit ${check.reason}` });
  }
  const expectedAmountOut = toBaseUnits(check.outputAmount);
  const { origin, destination } = route;
  return {
    provider: ID,
    amountIn: request.amount,
    maxAmountIn: request.amount,
    expectedAmountOut,
    // The relayer's gas changes with every block: the signed deposit may have a slightly smaller output.
    minAmountOut: minimumOutput(expectedAmountOut, request.slippage),
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
    priceImpactBps: undefined,
    gasLimit: GAS_LIMIT,
    estimatedDurationSeconds: Math.ceil(response.expectedFillTime),
    fees: feesOf(response),
    execution: {},
  };
}

function feesOf({ steps }: SwapApiQuote): readonly ProviderFee[] {
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

/** Requests a fresh deposit for the final wallets: the deposit of the quote may be stale. */
async function build(deps: AcrossDeps, parameters: BuildParameters, signal: AbortSignal): Promise<SwapCall> {
  const { request, quote, sender, recipient } = parameters;
  const route = acrossRoute(request);
  if (route === undefined) throw buildError('Across does not support the route');
  const parties = { sender, recipient, refundTo: request.refundAddress ?? sender };
  const response = await requestDeposit(deps, { request, route, parties }, signal);
  const check = checkDeposit(response, { route, parties, amount: quote.amountIn });
  if (check.outcome !== 'valid') throw buildError(`the deposit of Across is rejected: ${check.reason}`);
  if (check.outputAmount < response.minOutputAmount)
    throw buildError('the deposit delivers less than the quote of Across');
  if (check.outputAmount < quote.minAmountOut) throw quoteExpired();
  const { spokePool } = route.origin.across;
  const { isNative, chain } = route.origin;
  return {
    kind: 'call',
    chainId: chain.chainId,
    from: sender,
    to: spokePool,
    data: response.swapTx.data,
    value: isNative ? quote.amountIn : 0n,
    spender: isNative ? undefined : spokePool,
  };
}

async function requestDeposit(deps: AcrossDeps, transfer: Transfer, signal: AbortSignal): Promise<SwapApiQuote> {
  try {
    return await fetchSwapQuote(deps.http, swapParameters(deps, transfer), signal);
  } catch (error) {
    const apiError = parseApiError(error);
    if (apiError === undefined) throw asBridgeApiError(error);
    throw apiError.kind === 'invalid' ? buildError(apiError.reason) : quoteExpired();
  }
}

const buildError = (reason: string) => serviceError('BYTECODE_GENERATION_FAILED', { reason });

const quoteExpired = () => serviceError('QUOTE_EXPIRED');
