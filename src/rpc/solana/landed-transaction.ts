import type { z } from 'zod';
import type { transactionAnswer, TransactionError } from './wire';

/** What an account holds of a token, before and after a transaction, in base units. */
export interface TokenChange {
  readonly account: string;
  readonly mint: string;
  /** Who the tokens belong to; `undefined` when the node does not tell. */
  readonly owner: string | undefined;
  readonly before: bigint;
  readonly after: bigint;
  /** Whether the token account was there. */
  readonly existed: boolean;
  readonly exists: boolean;
}

/** A transaction that a block holds, and what it moved. Lamports as bigint. */
export interface LandedTransaction {
  readonly signature: string;
  readonly slot: number;
  /** Unix seconds; `undefined` when the node has no estimate. */
  readonly blockTime: number | undefined;
  readonly error: TransactionError | null;
  readonly logs: readonly string[];
  readonly fee: bigint;
  /** The first of them paid the fee. */
  readonly signers: readonly string[];
  readonly lamports: ReadonlyMap<string, { readonly before: bigint; readonly after: bigint }>;
  readonly tokens: readonly TokenChange[];
}

type Answer = NonNullable<z.output<typeof transactionAnswer>>;

export function landedTransaction({ slot, blockTime, transaction, meta }: Answer): LandedTransaction {
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

function tokenChanges(accounts: readonly string[], meta: Answer['meta']): readonly TokenChange[] {
  const [before, after] = [meta.preTokenBalances ?? [], meta.postTokenBalances ?? []];
  const indexes = new Set([...before, ...after].map(({ accountIndex }) => accountIndex));
  return [...indexes].flatMap((index) => {
    const [was, is] = [before, after].map((all) => all.find(({ accountIndex }) => accountIndex === index));
    const known = is ?? was;
    if (known === undefined) return [];
    return [
      {
        account: accounts[index] ?? '',
        mint: known.mint,
        owner: known.owner,
        before: amountOf(was),
        after: amountOf(is),
        existed: was !== undefined,
        exists: is !== undefined,
      },
    ];
  });
}

const amountOf = (balance: { readonly uiTokenAmount: { readonly amount: string } } | undefined): bigint =>
  BigInt(balance?.uiTokenAmount.amount ?? 0);
