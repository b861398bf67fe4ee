import type { Hex } from 'viem';
import { z } from 'zod';
import { NATIVE_TOKEN, parseEvmAddress, ZERO_ADDRESS } from '../../../chains/addresses';

const amount = z
  .string()
  .regex(/^(?:0|[1-9][0-9]{0,77})$/, 'must be an amount')
  .transform(BigInt);
/** Numbers of a transaction: hexadecimal or decimal. */
const quantity = z
  .string()
  .regex(/^(?:0x[0-9a-fA-F]{1,64}|[0-9]{1,78})$/, 'must be a quantity')
  .transform(BigInt);
const address = z.string().transform((text, context) => {
  const parsed = parseEvmAddress(text);
  if (parsed !== undefined) return parsed;
  context.addIssue({ code: 'custom', message: 'must be an address' });
  return z.NEVER;
});
/** The zero address is the native coin. */
const tokenAddress = address.transform((parsed) => (parsed === ZERO_ADDRESS ? NATIVE_TOKEN : parsed));
const calldata = z
  .string()
  .regex(/^0x(?:[0-9a-fA-F]{2})+$/, 'must be calldata')
  .transform((text) => text as Hex);

const token = z.object({ address: tokenAddress, chainId: z.int() });
const name = z.string().max(100);

/** `included` fees are taken of the amounts; others are paid on top, in the native coin. */
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
 * Answer of `GET /v1/quote`: a step, with the transaction that carries it out. Amounts in base units, times in seconds.
 *
 * @see https://docs.li.fi/api-reference/get-a-quote-for-a-token-transfer
 */
export const stepAnswer = z.object({
  /** Bridge, or exchange, that carries it out. */
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
export type Step = z.infer<typeof stepAnswer>;

const optional = <Value extends z.ZodType>(value: Value) => value.nullish().transform((given) => given ?? undefined);

/** What arrived, and where. `token` and `amount` are those that really arrived. */
const receiving = z.object({
  chainId: optional(z.int()),
  txHash: optional(z.string().regex(/^0x[0-9a-fA-F]{64}$/, 'must be the hash of a transaction')),
  amount: optional(amount),
  token: optional(token),
});

/**
 * Answer of `GET /v1/status`.
 *
 * @see https://docs.li.fi/api-reference/check-the-status-of-a-cross-chain-transfer
 */
export const statusAnswer = z.object({
  status: z.enum(['NOT_FOUND', 'INVALID', 'PENDING', 'DONE', 'FAILED']),
  substatus: z.string().nullish(),
  receiving: z.preprocess((value) => value ?? {}, receiving),
});
export type TransferStatus = z.infer<typeof statusAnswer>;

/** What a refusal says; `errors` holds what single tools said, in lists and records of lists. */
export const refusal = z.object({
  code: z.coerce.number().optional().catch(undefined),
  message: z.string().catch(''),
  errors: z.unknown().optional(),
});

/** What is kept with a quote. */
export const execution = z.object({ tool: z.string() });
