import { type Address, getAddress } from 'viem';
import { z } from 'zod';
import { parseEvmAddress } from '../../../chains/addresses';
import { serviceError } from '../../../errors/service-error';
import type { BuildParameters } from '../../quote-provider';
import { type SameChainTrade, sameChainTrade } from '../../same-chain-trade';
import type { TradePlan } from './search-plans';
import { baseUnitsSchema } from '../../../money/base-units';

/** One pool of a split, in the direction of the trade. */
export interface RouteStep {
  readonly tokenIn: Address;
  readonly tokenOut: Address;
  /** Millionths of the input in V3; `null` in V2. */
  readonly fee: number | null;
}

/** A part of a trade that goes through the pools of its steps, in order. */
export interface StoredSplit {
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  readonly steps: readonly [RouteStep, ...RouteStep[]];
}

const token = z
  .string()
  .refine((text) => parseEvmAddress(text) === text)
  .transform((text) => getAddress(text));
const amount = baseUnitsSchema.refine((value) => value > 0n);
const fee = z.int().min(1).max(999_999).nullable();
const step = z.object({ tokenIn: token, tokenOut: token, fee });
const split = z.object({
  amountIn: amount,
  amountOut: amount,
  steps: z.tuple([step], step).refine((all) => all.length <= 3),
});
const executionSchema = z.object({ ways: z.tuple([split], split).refine((all) => all.length <= 3) });

/** The splits of a plan as the JSON that is stored with its quote. */
export const splitsJson = ({ splits }: TradePlan): unknown => ({
  ways: splits.map(({ route, amountIn, amountOut }) => ({
    amountIn: amountIn.toString(),
    amountOut: amountOut.toString(),
    steps: route.map((hop) => ({ tokenIn: hop.tokenIn, tokenOut: hop.tokenOut, fee: hop.pool.fee ?? null })),
  })),
});

/** Parses the splits of a stored quote. @throws BYTECODE_GENERATION_FAILED when they do not belong to its request */
export function parseSplits({ request, quote }: BuildParameters): readonly [StoredSplit, ...StoredSplit[]] {
  const trade = sameChainTrade(request);
  const parsed = executionSchema.safeParse(quote.execution);
  if (trade === undefined || !parsed.success) throw invalidQuoteError();
  const { ways: splits } = parsed.data;
  const sum = (side: 'amountIn' | 'amountOut'): bigint => splits.reduce((total, each) => total + each[side], 0n);
  if (sum('amountIn') !== quote.amountIn || sum('amountOut') !== quote.expectedAmountOut) throw invalidQuoteError();
  if (!splits.every((each) => isConnected(each, trade) && (request.side === 'in' || isConcentrated(each))))
    throw invalidQuoteError();
  return splits;
}

function isConnected({ steps }: StoredSplit, { tokenIn, tokenOut }: SameChainTrade): boolean {
  const isContinuous = steps.every((each, index) => index === 0 || each.tokenIn === steps[index - 1]?.tokenOut);
  return isContinuous && steps[0].tokenIn === tokenIn && steps.at(-1)?.tokenOut === tokenOut;
}

const isConcentrated = ({ steps }: StoredSplit): boolean => steps.every(({ fee }) => fee !== null);

export const invalidQuoteError = () =>
  serviceError('BYTECODE_GENERATION_FAILED', { reason: 'the stored route does not belong to the request' });
