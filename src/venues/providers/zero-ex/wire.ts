import type { Hex } from 'viem';
import { z } from 'zod';
import { parseEvmAddress } from '../../../chains/addresses';

const amount = z
  .string()
  .regex(/^(?:0|[1-9][0-9]{0,77})$/, 'must be an amount')
  .transform(BigInt);
/** Addresses come in lower case; `0xeeee…` is the native coin. */
const address = z.string().transform((text, context) => {
  const parsed = parseEvmAddress(text);
  if (parsed !== undefined) return parsed;
  context.addIssue({ code: 'custom', message: 'must be an address' });
  return z.NEVER;
});
const calldata = z
  .string()
  .regex(/^0x(?:[0-9a-fA-F]{2})+$/, 'must be calldata')
  .transform((text) => text as Hex);

const fee = z.object({ amount, token: address });
const fees = z.object({
  integratorFee: fee.nullish(),
  integratorFees: z.array(fee).nullish(),
  zeroExFee: fee.nullish(),
  gasFee: fee.nullish(),
});

/** A market on the way, and how much of the trade takes it. */
const fill = z.object({
  source: z.string().max(100),
  from: address,
  to: address,
  proportionBps: z.coerce.number().int().min(0).max(10_000),
});

/** Whether there is a price at all; with `false` there is nothing else in the answer. */
export const availability = z.object({ liquidityAvailable: z.boolean() });

/**
 * Answer of `GET /swap/allowance-holder/price`. Amounts in base units.
 *
 * @see https://docs.0x.org/api-reference/0-x-api/swap/allowanceholder-getprice
 */
export const priceAnswer = z.object({
  buyAmount: amount,
  buyToken: address,
  minBuyAmount: amount,
  sellAmount: amount,
  sellToken: address,
  /** Null where nothing has to be allowed. */
  allowanceTarget: address.nullish(),
  /** `allowance` is null when the taker allows enough already. */
  issues: z.object({ allowance: z.object({ spender: address }).nullish() }),
  fees: fees.nullish(),
  gas: amount.nullish(),
  route: z.object({ fills: z.array(fill) }).nullish(),
});
export type Price = z.infer<typeof priceAnswer>;

/** Answer of `GET /swap/allowance-holder/quote`: a price with the transaction that has it. */
export const quoteAnswer = priceAnswer.extend({
  transaction: z.object({ to: address, data: calldata, value: amount, gas: amount.nullish() }),
});
export type Quote = z.infer<typeof quoteAnswer>;

/** What a refusal says. */
export const refusal = z.object({ name: z.string(), message: z.string().catch('') });
