import { z } from 'zod';

/** Lamports and compute units: JSON numbers, exact up to nine million SOL. */
export const count = z
  .number()
  .nonnegative()
  .refine((value) => Number.isInteger(value))
  .transform(BigInt);

const MAX_EXACT = BigInt(Number.MAX_SAFE_INTEGER);

const base64Data = z.tuple([z.string(), z.literal('base64')]).transform(([text]) => Buffer.from(text, 'base64'));
const accountInfo = z.object({ lamports: count, owner: z.string(), executable: z.boolean(), data: base64Data });

export const withContext = <Value extends z.ZodType>(value: Value) =>
  z.object({ context: z.object({ slot: z.int() }), value });

export const accountsResponse = withContext(z.array(accountInfo.nullable()));
/** Lamports that a JSON number cannot contain exactly are `undefined`, and so are unreadable data. */
const lamports = z.object({
  lamports: count
    .refine((value) => value <= MAX_EXACT)
    .optional()
    .catch(undefined),
  data: base64Data.optional().catch(undefined),
});
export const lamportsResponse = withContext(z.array(lamports.nullable()));

export const balanceResponse = withContext(count);

const tokenAmount = z.object({ amount: z.string().regex(/^[0-9]{1,20}$/), decimals: z.int().min(0).max(255) });
export const tokenAccountsResponse = withContext(
  z.array(
    z.object({
      pubkey: z.string(),
      account: z.object({
        owner: z.string(),
        data: z.object({
          parsed: z.object({ info: z.object({ mint: z.string(), state: z.string(), tokenAmount }) }),
        }),
      }),
    }),
  ),
);

export const blockhashResponse = withContext(z.object({ blockhash: z.string(), lastValidBlockHeight: z.int() }));

/** A transaction error in the form of nodes: a name, or an object with a name as its key. */
export const transactionError = z.union([z.string(), z.record(z.string(), z.unknown())]);
export type TransactionError = z.infer<typeof transactionError>;

export const simulationResponse = withContext(
  z.object({
    err: transactionError.nullable(),
    logs: z.array(z.string()).nullable(),
    unitsConsumed: count.optional(),
  }),
);

export const feesResponse = z.array(z.object({ slot: z.int(), prioritizationFee: count }));

export const signaturesResponse = z.array(
  z.object({
    signature: z.string(),
    slot: z.int(),
    err: transactionError.nullable(),
    blockTime: z.int().nullish(),
  }),
);

/** A status that cannot be read counts as one that is not final yet. */
export const statusesResponse = withContext(
  z.array(
    z
      .object({
        slot: z.int(),
        err: transactionError.nullable(),
        confirmationStatus: z.enum(['processed', 'confirmed', 'finalized']).nullish(),
      })
      .nullable()
      .catch({ slot: 0, err: null, confirmationStatus: null }),
  ),
);

const tokenBalance = z.object({
  accountIndex: z.int(),
  mint: z.string(),
  owner: z.string().optional(),
  uiTokenAmount: tokenAmount,
});

export const transactionResponse = z
  .object({
    slot: z.int(),
    blockTime: z.int().nullish(),
    transaction: z.object({
      signatures: z.array(z.string()).min(1),
      message: z.object({
        accountKeys: z.array(z.string()),
        header: z.object({ numRequiredSignatures: z.int() }),
      }),
    }),
    meta: z.object({
      err: transactionError.nullable(),
      fee: count,
      preBalances: z.array(count),
      postBalances: z.array(count),
      preTokenBalances: z.array(tokenBalance).nullish(),
      postTokenBalances: z.array(tokenBalance).nullish(),
      loadedAddresses: z.object({ writable: z.array(z.string()), readonly: z.array(z.string()) }).nullish(),
      logMessages: z.array(z.string()).nullish(),
    }),
  })
  .nullable();
