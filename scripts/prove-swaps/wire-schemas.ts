import { z } from 'zod';
import { callsSchema } from '../demo/wallet';

const hex = z.templateLiteral(['0x', z.string()]);
const amount = z.string().regex(/^-?[0-9]+$/);
const dollars = z.number().nullish();

const token = z.object({
  contract: z.string(),
  symbol: z.string(),
  decimals: z.int(),
  amount,
  amountInUSD: dollars,
  priceInUSD: dollars,
  priceSource: z.string().nullish(),
});

const feeLine = z.object({
  kind: z.string(),
  label: z.string(),
  amountRaw: amount,
  symbol: z.string(),
  amountInUSD: dollars,
});

/** The figures of a quote that are proved. */
const quote = z.object({
  quoteId: z.string(),
  provider: z.string(),
  tokenIn: token,
  tokenOut: token,
  expectedAmountOut: amount,
  priceImpactBps: z.int().nullish(),
  feeBreakdown: z.object({
    lines: z.array(feeLine),
    summary: z.object({ platformFeesTotalInUSD: dollars, bridgeAndSlippageImpactOutUSD: dollars }),
  }),
  gasEstimate: z.object({ gasLimit: amount, feePerGas: amount.nullish(), amountInUSD: dollars }),
  simulation: z.object({ status: z.string(), reason: z.string().nullish() }).nullish(),
  route: z.array(z.object({ protocol: z.string(), shareBps: z.number(), pool: z.string().nullish() })),
});
export type ShownQuote = z.infer<typeof quote>;
export const quoteResponse = z.looseObject({ quote });

const custodyBody = z.object({
  destination: z.object({ oneTimeAddress: z.object({ address: hex }) }),
  amount: z.string(),
  extraParameters: z.object({ contractCallData: hex }),
});

/** The executable fields of a quote, and of a request for its transactions. */
export const execution = z.object({
  id: z.string(),
  custody: z.array(custodyBody).nullish(),
  userOperation: z.unknown().optional(),
  instructions: z.array(z.unknown()).nullish(),
  lutsByAddress: z.record(z.string(), z.array(z.string())).nullish(),
  transactionData: z.unknown().optional(),
});
export type Execution = z.infer<typeof execution>;

/** Both routes have the calls: the quote in `transactionData.transactions`, the other in `transactionData`. */
export const quotedCalls = z.object({ transactions: callsSchema }).transform(({ transactions }) => transactions);
const rawTransaction = z.object({ rawTransaction: z.base64() }).transform((item) => item.rawTransaction);
export const rawTransactions = z.union([
  rawTransaction,
  z
    .array(rawTransaction)
    .length(1)
    .transform(([first = '']) => first),
]);

const asset = z.object({ amountRaw: amount, amountInUSD: z.coerce.string().nullish() });
export const actionSchema = z.object({
  status: z.string(),
  failureReason: z.string().nullish(),
  amounts: z.object({ assetIn: asset, assetOut: asset }),
});
export type ShownAction = z.infer<typeof actionSchema>;
