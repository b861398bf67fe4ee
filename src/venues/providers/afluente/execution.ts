import { type Address, getAddress } from 'viem';
import { z } from 'zod';
import { parseEvmAddress } from '../../../chains/addresses';
import { serviceError } from '../../../errors/service-error';
import type { BuildParameters } from '../../quote-provider';
import { type SameChainTrade, sameChainTrade } from '../../same-chain-trade';
import type { Plan } from './search';

/** One pool of a way. */
export interface Step {
  readonly tokenIn: Address;
  readonly tokenOut: Address;
  /** V3: millionths of the amount that goes in; `null` in V2. */
  readonly fee: number | null;
}

/** A part of a trade, through the pools of its steps in order. */
export interface Way {
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  readonly steps: readonly [Step, ...Step[]];
}

const token = z
  .string()
  .refine((text) => parseEvmAddress(text) === text)
  .transform((text) => getAddress(text));
const amount = z
  .string()
  .regex(/^[1-9][0-9]{0,77}$/)
  .transform((text) => BigInt(text));
const fee = z.int().min(1).max(999_999).nullable();
const step = z.object({ tokenIn: token, tokenOut: token, fee });
const way = z.object({
  amountIn: amount,
  amountOut: amount,
  steps: z.tuple([step], step).refine((all) => all.length <= 3),
});
const executionSchema = z.object({ ways: z.tuple([way], way).refine((all) => all.length <= 3) });

/** What has to be known again when the transaction is made, as JSON. */
export const executionOf = ({ ways }: Plan): unknown => ({
  ways: ways.map(({ route, amountIn, amountOut }) => ({
    amountIn: amountIn.toString(),
    amountOut: amountOut.toString(),
    steps: route.map((hop) => ({ tokenIn: hop.tokenIn, tokenOut: hop.tokenOut, fee: hop.pool.fee ?? null })),
  })),
});

/** The ways of a stored quote. @throws BYTECODE_GENERATION_FAILED when they do not belong to its request */
export function waysOf({ request, quote }: BuildParameters): readonly [Way, ...Way[]] {
  const trade = sameChainTrade(request);
  const parsed = executionSchema.safeParse(quote.execution);
  if (trade === undefined || !parsed.success) throw unusable();
  const { ways } = parsed.data;
  const sum = (side: 'amountIn' | 'amountOut'): bigint => ways.reduce((total, each) => total + each[side], 0n);
  if (sum('amountIn') !== quote.amountIn || sum('amountOut') !== quote.expectedAmountOut) throw unusable();
  if (!ways.every((each) => isConnected(each, trade) && (request.side === 'in' || isConcentrated(each))))
    throw unusable();
  return ways;
}

function isConnected({ steps }: Way, { tokenIn, tokenOut }: SameChainTrade): boolean {
  const isChain = steps.every((each, index) => index === 0 || each.tokenIn === steps[index - 1]?.tokenOut);
  return isChain && steps[0].tokenIn === tokenIn && steps.at(-1)?.tokenOut === tokenOut;
}

const isConcentrated = ({ steps }: Way): boolean => steps.every(({ fee }) => fee !== null);

export const unusable = () =>
  serviceError('BYTECODE_GENERATION_FAILED', { reason: 'the stored route does not belong to the request' });
