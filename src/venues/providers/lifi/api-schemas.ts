import type { Hex } from 'viem';
import { z } from 'zod';
import { NATIVE_TOKEN, parseEvmAddress, ZERO_ADDRESS } from '../../../chains/addresses';
import { baseUnitsSchema } from '../../../money/base-units';

const amount = baseUnitsSchema;
/** Numbers of a transaction, hexadecimal or decimal. */
const quantity = z
  .string()
  .regex(/^(?:0x[0-9a-fA-F]{1,64}|[0-9]{1,78})$/, 'must be a quantity')
  .transform(BigInt);
const address = z.string().transform((text, context) => {
  const address = parseEvmAddress(text);
  if (address !== undefined) return address;
  context.addIssue({ code: 'custom', message: 'must be an address' });
  return z.NEVER;
});
/** The zero address is the native coin. */
const tokenAddress = address.transform((address) => (address === ZERO_ADDRESS ? NATIVE_TOKEN : address));
const calldata = z
  .string()
  .regex(/^0x(?:[0-9a-fA-F]{2})+$/, 'must be calldata')
  .transform((text) => text as Hex);

const token = z.object({ address: tokenAddress, chainId: z.int() });
const name = z.string().max(100);

/** `included` fees are part of the amounts; others are paid in addition, in the native coin. */
const feeCost = z.object({ name, amount, token, included: z.boolean().default(true) });
const gasCost = z.object({ type: z.string(), limit: quantity.optional() });

const action = z.object({
  fromChainId: z.int(),
  toChainId: z.int(),
  fromToken: token,
  toToken: token,
  fromAmount: amount,
  fromAddress: address.optional(),
  toAddress: address.optional(),
});

const includedStep = z.object({
  type: z.string(),
  tool: name,
  action: action.pick({ fromChainId: true, fromToken: true, toToken: true }),
});

/**
 * Response of `GET /v1/quote`: a step with its transaction. Amounts in base units, times in seconds.
 *
 * @see https://docs.li.fi/api-reference/get-a-quote-for-a-token-transfer
 */
export const stepResponse = z.object({
  /** Bridge or exchange of the step. */
  tool: name,
  action,
  estimate: z.object({
    fromAmount: amount,
    toAmount: amount,
    toAmountMin: amount,
    approvalAddress: address.nullish(),
    feeCosts: z.array(feeCost).nullish(),
    gasCosts: z.array(gasCost).nullish(),
    executionDuration: z.number().nonnegative().max(1_000_000),
  }),
  includedSteps: z.array(includedStep).nullish(),
  transactionRequest: z.object({
    chainId: z.int(),
    from: address,
    to: address,
    data: calldata,
    value: quantity.default(0n),
    gasLimit: quantity.nullish(),
  }),
});
export type LifiStep = z.infer<typeof stepResponse>;

const optional = <Value extends z.ZodType>(value: Value) => value.nullish().transform((given) => given ?? undefined);

/** The receiving side of a transfer: the token and amount that were really received. */
const receiving = z.object({
  chainId: optional(z.int()),
  txHash: optional(z.string().regex(/^0x[0-9a-fA-F]{64}$/, 'must be the hash of a transaction')),
  amount: optional(amount),
  token: optional(token),
});

/** Response of `GET /v1/status`. @see https://docs.li.fi/api-reference/check-the-status-of-a-cross-chain-transfer */
export const statusResponse = z.object({
  status: z.enum(['NOT_FOUND', 'INVALID', 'PENDING', 'DONE', 'FAILED']),
  substatus: z.string().nullish(),
  receiving: z.preprocess((value) => value ?? {}, receiving),
});
export type TransferStatus = z.infer<typeof statusResponse>;

/** Error response; `errors` contains the errors of single tools, in lists and records of lists. */
export const lifiErrorResponse = z.object({
  code: z.coerce.number().optional().catch(undefined),
  message: z.string().catch(''),
  errors: z.unknown().optional(),
});

/** Stored with the quote. */
export const execution = z.object({ tool: z.string() });
