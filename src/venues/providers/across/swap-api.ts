import { z } from 'zod';
import { ZERO_ADDRESS } from '../../../chains/addresses';
import type { HttpClient, Query } from '../../../http/http-client';
import { UpstreamError } from '../../../http/upstream-error';
import { formatSlippage, type PartsPerMillion } from '../../../money/slippage';
import type { AcrossRoute } from './across-route';
import { asHex } from './spoke-pool';
import { baseUnitsSchema } from '../../../money/base-units';

/** Wallets of a transfer. */
export interface TransferParties {
  readonly sender: string;
  readonly recipient: string;
  /** Recipient of a refund; the protocol calls it the depositor. */
  readonly refundTo: string;
}

export interface SwapQuoteParameters {
  readonly route: AcrossRoute;
  readonly parties: TransferParties;
  readonly amount: bigint;
  readonly slippage: PartsPerMillion;
  readonly integratorId: string | undefined;
}

/** The API's name of its own bridge. It brokers other bridges too. */
export const ACROSS = 'across';

const amount = baseUnitsSchema;
const hex = z.string().transform((text, context) => {
  const bytes = asHex(text);
  if (bytes !== undefined) return bytes;
  context.addIssue({ code: 'custom', message: 'is not hexadecimal' });
  return z.NEVER;
});
const fee = z.object({ amount });
const fees = z.object({ relayerCapital: fee, destinationGas: fee, lp: fee });

const swapResponse = z.object({
  steps: z.object({
    originSwap: z.unknown().optional(),
    bridge: z.object({
      provider: z.string(),
      inputAmount: amount,
      outputAmount: amount,
      // Brokered bridges report their fees in another shape.
      fees: z.object({ details: fees.optional().catch(undefined) }),
    }),
    destinationSwap: z.unknown().optional(),
  }),
  minOutputAmount: amount,
  expectedFillTime: z.number().nonnegative().max(604_800),
  swapTx: z.object({
    chainId: z.number(),
    to: z.string(),
    data: hex,
    value: amount.optional(),
    gas: amount.optional(),
  }),
});

/** Price and deposit from the API, not yet verified. Amounts in base units. */
export type SwapApiQuote = z.infer<typeof swapResponse>;

const limitsResponse = z.object({ minDeposit: amount, maxDeposit: amount });
/** Smallest and largest deposit, in base units of the input token. */
export type Limits = z.infer<typeof limitsResponse>;

const statusResponse = z.object({
  status: z.string(),
  fillTxnRef: z.string().nullish(),
  depositRefundTxnRef: z.string().nullish(),
});
export type DepositStatus = z.infer<typeof statusResponse>;

/**
 * `GET /swap/approval`: quotes a transfer of an exact amount. Responses must not be cached.
 *
 * The native coin is requested as its wrapper: the SpokePool wraps the value of the call, while the API would use a
 * contract of its own. On the destination the coin and its wrapper are different tokens.
 *
 * @throws UpstreamError
 * @see https://docs.across.to/reference/api-reference
 */
export async function fetchSwapQuote(
  http: HttpClient,
  parameters: SwapQuoteParameters,
  signal: AbortSignal,
): Promise<SwapApiQuote> {
  const { origin, destination } = parameters.route;
  const { sender, recipient, refundTo } = parameters.parties;
  const query = {
    tradeType: 'exactInput',
    amount: parameters.amount.toString(),
    inputToken: origin.token,
    outputToken: destination.isNative ? ZERO_ADDRESS : destination.token,
    originChainId: origin.chain.chainId,
    destinationChainId: destination.chain.chainId,
    depositor: sender,
    recipient,
    refundAddress: refundTo,
    refundOnOrigin: true,
    slippage: formatSlippage(parameters.slippage),
    integratorId: parameters.integratorId,
    // Otherwise USDC may be routed through CCTP, which the deposit checks do not support.
    routingPreference: 'across',
    skipOriginTxEstimation: true,
    skipChecks: true,
  };
  const response = await get(http, { path: '/swap/approval', query, shape: swapResponse }, signal);
  const { provider, fees: reported } = response.steps.bridge;
  if (provider !== ACROSS || reported.details !== undefined) return response;
  throw new UpstreamError('its response has no fees', { kind: 'unreadable' });
}

/** `GET /limits`. @throws UpstreamError */
export function fetchLimits(
  http: HttpClient,
  { origin, destination }: AcrossRoute,
  signal: AbortSignal,
): Promise<Limits> {
  const query = {
    inputToken: origin.token,
    outputToken: destination.token,
    originChainId: origin.chain.chainId,
    destinationChainId: destination.chain.chainId,
  };
  return get(http, { path: '/limits', query, shape: limitsResponse }, signal);
}

/** `GET /deposit/status`. @throws UpstreamError, with status 404 for a deposit that the API has not indexed */
export function fetchDepositStatus(
  http: HttpClient,
  deposit: { readonly originChainId: number; readonly depositId: bigint },
  signal: AbortSignal,
): Promise<DepositStatus> {
  const query = { originChainId: deposit.originChainId, depositId: deposit.depositId.toString() };
  return get(http, { path: '/deposit/status', query, shape: statusResponse }, signal);
}

interface ApiRequest<Response> {
  readonly path: string;
  readonly query: Query;
  readonly shape: z.ZodType<Response>;
}

async function get<Response>(
  http: HttpClient,
  { path, query, shape }: ApiRequest<Response>,
  signal: AbortSignal,
): Promise<Response> {
  const parsed = shape.safeParse(await http.get(path, query, signal));
  if (parsed.success) return parsed.data;
  throw new UpstreamError('its response has an unexpected form', { kind: 'unreadable', cause: parsed.error });
}
