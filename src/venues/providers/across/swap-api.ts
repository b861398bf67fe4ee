import { z } from 'zod';
import { ZERO_ADDRESS } from '../../../chains/addresses';
import type { HttpClient, Query } from '../../../http/http-client';
import { UpstreamError } from '../../../http/upstream-error';
import { formatSlippage, type PartsPerMillion } from '../../../money/slippage';
import type { Lane } from './lane';
import { asHex } from './spoke-pool';

/** Who takes part in a transfer. */
export interface Parties {
  readonly sender: string;
  readonly recipient: string;
  /** Whom an expired deposit goes back to: the depositor, as the protocol calls it. */
  readonly refundTo: string;
}

export interface SwapQuestion {
  readonly lane: Lane;
  readonly parties: Parties;
  readonly amount: bigint;
  readonly slippage: PartsPerMillion;
  readonly integratorId: string | undefined;
}

/** How the API calls its own bridge, beside others that it brokers. */
export const ACROSS = 'across';

const amount = z
  .string()
  .regex(/^(?:0|[1-9][0-9]{0,77})$/)
  .transform((text) => BigInt(text));
const hex = z.string().transform((text, context) => {
  const bytes = asHex(text);
  if (bytes !== undefined) return bytes;
  context.addIssue({ code: 'custom', message: 'is not hexadecimal' });
  return z.NEVER;
});
const fee = z.object({ amount });
const fees = z.object({ relayerCapital: fee, destinationGas: fee, lp: fee });

const swapAnswer = z.object({
  steps: z.object({
    originSwap: z.unknown().optional(),
    bridge: z.object({
      provider: z.string(),
      inputAmount: amount,
      outputAmount: amount,
      // Bridges that Across only brokers tell their fees in other words.
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

/** A price and the deposit that has it, as the API tells it: not yet to be believed. Amounts in base units. */
export type SwapAnswer = z.infer<typeof swapAnswer>;

const limitsAnswer = z.object({ minDeposit: amount, maxDeposit: amount });
/** Smallest and largest deposit, in base units of the input token. */
export type Limits = z.infer<typeof limitsAnswer>;

const statusAnswer = z.object({
  status: z.string(),
  fillTxnRef: z.string().nullish(),
  depositRefundTxnRef: z.string().nullish(),
});
export type DepositStatus = z.infer<typeof statusAnswer>;

/**
 * `GET /swap/approval`: what a transfer of an exact amount would deliver now. Answers must not be cached.
 *
 * The native coin is asked for as its wrapper: the SpokePool wraps what is sent along, while the API would send coin
 * through a contract of its own. On the destination the coin and its wrapper are different things.
 *
 * @throws UpstreamError
 * @see https://docs.across.to/reference/api-reference
 */
export async function askSwap(http: HttpClient, question: SwapQuestion, signal: AbortSignal): Promise<SwapAnswer> {
  const { origin, destination } = question.lane;
  const { sender, recipient, refundTo } = question.parties;
  const query = {
    tradeType: 'exactInput',
    amount: question.amount.toString(),
    inputToken: origin.token,
    outputToken: destination.isNative ? ZERO_ADDRESS : destination.token,
    originChainId: origin.chain.chainId,
    destinationChainId: destination.chain.chainId,
    depositor: sender,
    recipient,
    refundAddress: refundTo,
    refundOnOrigin: true,
    slippage: formatSlippage(question.slippage),
    integratorId: question.integratorId,
    // Or USDC may be sent through Circle's protocol, which the deposit's checks do not know.
    routingPreference: 'across',
    skipOriginTxEstimation: true,
    skipChecks: true,
  };
  const answer = await get(http, { path: '/swap/approval', query, shape: swapAnswer }, signal);
  const { provider, fees: told } = answer.steps.bridge;
  if (provider !== ACROSS || told.details !== undefined) return answer;
  throw new UpstreamError('its answer names no fees', { kind: 'unreadable' });
}

/** `GET /limits`. @throws UpstreamError */
export function askLimits(http: HttpClient, { origin, destination }: Lane, signal: AbortSignal): Promise<Limits> {
  const query = {
    inputToken: origin.token,
    outputToken: destination.token,
    originChainId: origin.chain.chainId,
    destinationChainId: destination.chain.chainId,
  };
  return get(http, { path: '/limits', query, shape: limitsAnswer }, signal);
}

/** `GET /deposit/status`. @throws UpstreamError, with status 404 for a deposit that the API has not seen yet */
export function askStatus(
  http: HttpClient,
  deposit: { readonly originChainId: number; readonly depositId: bigint },
  signal: AbortSignal,
): Promise<DepositStatus> {
  const query = { originChainId: deposit.originChainId, depositId: deposit.depositId.toString() };
  return get(http, { path: '/deposit/status', query, shape: statusAnswer }, signal);
}

interface Question<Answer> {
  readonly path: string;
  readonly query: Query;
  readonly shape: z.ZodType<Answer>;
}

async function get<Answer>(
  http: HttpClient,
  { path, query, shape }: Question<Answer>,
  signal: AbortSignal,
): Promise<Answer> {
  const parsed = shape.safeParse(await http.get(path, query, signal));
  if (parsed.success) return parsed.data;
  throw new UpstreamError('its answer has another shape', { kind: 'unreadable', cause: parsed.error });
}
