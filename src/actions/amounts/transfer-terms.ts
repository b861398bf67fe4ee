import { z } from 'zod';
import type { TransferTerms } from '../../transactions/action-plan';

const amount = z
  .string()
  .regex(/^[0-9]+$/)
  .transform(BigInt);
const token = z.object({ address: z.string(), symbol: z.string(), decimals: z.int() });
const schema = z.object({
  tokenIn: token,
  tokenOut: token,
  amountIn: amount,
  amountOut: amount,
  minAmountOut: amount,
  receiverAddress: z.string(),
});

/** What a transfer within an action moves, where that differs from the action: amounts in base units. */
export type StoredTerms = z.infer<typeof schema>;

/** The terms as JSON. */
export const termsJson = ({
  tokenIn,
  tokenOut,
  amountIn,
  amountOut,
  minAmountOut,
  receiverAddress,
}: TransferTerms) => ({
  tokenIn: unitOf(tokenIn),
  tokenOut: unitOf(tokenOut),
  amountIn: amountIn.toString(),
  amountOut: amountOut.toString(),
  minAmountOut: minAmountOut.toString(),
  receiverAddress,
});

const unitOf = ({ address, symbol, decimals }: z.infer<typeof token>) => ({ address, symbol, decimals });

/** `undefined` when the transfer is the whole action. */
export const parseTerms = (json: unknown): StoredTerms | undefined =>
  json === null || json === undefined ? undefined : schema.parse(json);
