import { z } from 'zod';
import { NATIVE_TOKEN } from '../chains/addresses';
import type { TokenTransfer } from './transfer-logs';

/** Native coin that a transaction sends, unless it reverts: its receipt states that. Addresses are in lower case. */
export interface CoinTransfer {
  readonly txHash: string;
  /** Position of the transaction in its block. */
  readonly txIndex: number;
  readonly from: string;
  /** `undefined` when the transaction creates a contract. */
  readonly to: string | undefined;
  /** In the smallest unit of the coin; never 0. */
  readonly amount: bigint;
}

/** What the receipt of a transaction that sends coin states. */
export interface CoinResult {
  readonly succeeded: boolean;
  /** The contract that the transaction created; in lower case. */
  readonly created: string | undefined;
}

/** A transaction that sends coin is malformed. */
export class UnusableTransactionError extends Error {
  override readonly name = 'UnusableTransactionError';
}

const address = z
  .string()
  .regex(/^0x[0-9a-f]{40}$/i)
  .transform((text) => text.toLowerCase());
const coinSchema = z.object({
  hash: z
    .string()
    .regex(/^0x[0-9a-f]{64}$/i)
    .transform((text) => text.toLowerCase()),
  from: address,
  to: address.nullish(),
  value: z
    .string()
    .regex(/^0x[0-9a-f]{1,64}$/i)
    .transform((text) => BigInt(text)),
});

/** The coin that the transactions of a block send. A malformed one is left out, and reported in `failure`. */
export interface ParsedCoins {
  readonly coins: readonly CoinTransfer[];
  readonly failure?: UnusableTransactionError;
}

/** Parses the transactions that send coin. All others, most of a block, are passed over. */
export function parseCoins(transactions: readonly object[]): ParsedCoins {
  const coins: CoinTransfer[] = [];
  let failure: UnusableTransactionError | undefined;
  for (const [txIndex, transaction] of transactions.entries()) {
    if (!sendsCoin(transaction)) continue;
    const { data } = coinSchema.safeParse(transaction);
    if (data === undefined) failure ??= new UnusableTransactionError('the node returned a malformed transaction');
    else if (data.value > 0n) {
      coins.push({ txHash: data.hash, txIndex, from: data.from, to: data.to ?? undefined, amount: data.value });
    }
  }
  return failure === undefined ? { coins } : { coins, failure };
}

/** Transactions of the chain itself may have no value at all. */
const sendsCoin = (transaction: object): boolean =>
  'value' in transaction && typeof transaction.value === 'string' && transaction.value !== '0x0';

/** Movements of coin have negative positions, in the order of their transactions: those of events start at 0. */
export const COIN_POSITIONS = 1_000_000;

export const positionOfCoin = ({ txIndex }: Pick<CoinTransfer, 'txIndex'>): number => txIndex - COIN_POSITIONS;

/** The token of movements of coin, in the form of tokens in the ledger. */
const COIN = NATIVE_TOKEN.toLowerCase();

/** A transfer of coin in the form of a token transfer; `undefined` when the transaction reverted. */
export function coinAsToken(
  coin: CoinTransfer,
  { blockHash, result }: { readonly blockHash: string; readonly result: CoinResult },
): TokenTransfer | undefined {
  const { txHash, from, to, amount } = coin;
  const recipient = to ?? result.created;
  if (!result.succeeded || recipient === undefined) return undefined;
  return { blockHash, txHash, logIndex: positionOfCoin(coin), token: COIN, from, to: recipient, amount };
}
