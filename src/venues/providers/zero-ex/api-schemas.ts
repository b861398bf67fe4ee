import type { Hex } from 'viem';
import { z } from 'zod';
import { parseEvmAddress } from '../../../chains/addresses';
import { baseUnitsSchema } from '../../../money/base-units';

const amount = baseUnitsSchema;
/** Addresses come in lower case; `0xeeee…` is the native coin. */
const address = z.string().transform((text, context) => {
  const address = parseEvmAddress(text);
  if (address !== undefined) return address;
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

/** A liquidity source of the route and its share of the trade. */
const fill = z.object({
  source: z.string().max(100),
  from: address,
  to: address,
  proportionBps: z.coerce.number().int().min(0).max(10_000),
});

/** Availability of a price; when false the response has no other fields. */
export const availability = z.object({ liquidityAvailable: z.boolean() });

/**
 * Response of `GET /swap/allowance-holder/price`. Amounts in base units.
 *
 * @see https://docs.0x.org/api-reference/0-x-api/swap/allowanceholder-getprice
 */
export const priceResponse = z.object({
  buyAmount: amount,
  buyToken: address,
  minBuyAmount: amount,
  sellAmount: amount,
  sellToken: address,
  /** Null when no allowance is needed. */
  allowanceTarget: address.nullish(),
  /** `allowance` is null when the current allowance is sufficient. */
  issues: z.object({ allowance: z.object({ spender: address }).nullish() }),
  fees: fees.nullish(),
  gas: amount.nullish(),
  route: z.object({ fills: z.array(fill) }).nullish(),
});
export type ZeroExPrice = z.infer<typeof priceResponse>;

/** Response of `GET /swap/allowance-holder/quote`: a price with its transaction. */
export const quoteResponse = priceResponse.extend({
  transaction: z.object({ to: address, data: calldata, value: amount, gas: amount.nullish() }),
});
export type ZeroExQuote = z.infer<typeof quoteResponse>;

/** Error response. */
export const zeroExErrorResponse = z.object({ name: z.string(), message: z.string().catch('') });
