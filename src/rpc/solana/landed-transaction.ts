import type { z } from 'zod';
import type { transactionResponse, TransactionError } from './wire';

/** Token balance of an account before and after a transaction, in base units. */
export interface TokenChange {
  readonly account: string;
  readonly mint: string;
  /** Owner of the tokens; `undefined` when the node does not report it. */
  readonly owner: string | undefined;
  /** Owner before the transaction, which may hand an account over; `undefined` like `owner`, and for a new account. */
  readonly formerOwner?: string | undefined;
  readonly before: bigint;
  readonly after: bigint;
  /** Whether the token account existed before. */
  readonly existed: boolean;
  readonly exists: boolean;
}

/** A transaction in a block, with the balances that it changed. */
export interface LandedTransaction {
  readonly signature: string;
  readonly slot: number;
  /** Unix seconds; `undefined` when the node has no estimate. */
  readonly blockTime: number | undefined;
  readonly error: TransactionError | null;
  readonly logs: readonly string[];
  readonly fee: bigint;
  /** The first one paid the fee. */
  readonly signers: readonly string[];
  readonly lamports: ReadonlyMap<string, { readonly before: bigint; readonly after: bigint }>;
  readonly tokens: readonly TokenChange[];
}

type TransactionResponse = NonNullable<z.output<typeof transactionResponse>>;

export function landedTransaction({ slot, blockTime, transaction, meta }: TransactionResponse): LandedTransaction {
  const { accountKeys, header } = transaction.message;
  const { writable = [], readonly: others = [] } = meta.loadedAddresses ?? {};
  const accounts = [...accountKeys, ...writable, ...others];
  const lamports = accounts.map((address, index) => {
    const [before, after] = [meta.preBalances[index] ?? 0n, meta.postBalances[index] ?? 0n];
    return [address, { before, after }] as const;
  });
  return {
    signature: transaction.signatures[0] ?? '',
    slot,
    blockTime: blockTime ?? undefined,
    error: meta.err,
    logs: meta.logMessages ?? [],
    fee: meta.fee,
    signers: accountKeys.slice(0, header.numRequiredSignatures),
    lamports: new Map(lamports),
    tokens: tokenChanges(accounts, meta),
  };
}

function tokenChanges(accounts: readonly string[], meta: TransactionResponse['meta']): readonly TokenChange[] {
  const [before, after] = [meta.preTokenBalances ?? [], meta.postTokenBalances ?? []];
  const indexes = new Set([...before, ...after].map(({ accountIndex }) => accountIndex));
  return [...indexes].flatMap((index) => {
    const [was, is] = [before, after].map((all) => all.find(({ accountIndex }) => accountIndex === index));
    const account = accounts[index] ?? '';
    // Closed, and opened again for another token.
    if (was !== undefined && is !== undefined && was.mint !== is.mint) {
      return [...tokenChange(account, was, undefined), ...tokenChange(account, undefined, is)];
    }
    return tokenChange(account, was, is);
  });
}

type TokenBalance = NonNullable<TransactionResponse['meta']['preTokenBalances']>[number];

function tokenChange(account: string, was: TokenBalance | undefined, is: TokenBalance | undefined): TokenChange[] {
  const balance = is ?? was;
  if (balance === undefined) return [];
  return [
    {
      account,
      mint: balance.mint,
      owner: balance.owner,
      formerOwner: was?.owner,
      before: amountOf(was),
      after: amountOf(is),
      existed: was !== undefined,
      exists: is !== undefined,
    },
  ];
}

const amountOf = (balance: { readonly uiTokenAmount: { readonly amount: string } } | undefined): bigint =>
  BigInt(balance?.uiTokenAmount.amount ?? 0);
