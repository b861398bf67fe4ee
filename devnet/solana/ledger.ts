import type { InnerInstructions, Outcome } from './machine';
import type { UiAmount } from './token-state';
import type { TransactionError } from './transaction-error';

export interface TokenBalance {
  readonly accountIndex: number;
  readonly mint: string;
  readonly owner: string;
  readonly programId: string;
  readonly uiTokenAmount: UiAmount;
}

/** A transaction that a block holds. Lamports as decimal digits; everything survives JSON. */
export interface TransactionRecord {
  readonly signature: string;
  readonly slot: number;
  /** Unix seconds. */
  readonly blockTime: number;
  /** The signed transaction in base64. */
  readonly raw: string;
  readonly error: TransactionError | null;
  readonly memo: string | null;
  /** Those of the message, then those that look-up tables gave. */
  readonly accounts: readonly string[];
  readonly loaded: { readonly writable: readonly string[]; readonly readonly: readonly string[] };
  readonly writable: readonly string[];
  readonly before: readonly string[];
  readonly after: readonly string[];
  readonly tokensBefore: readonly TokenBalance[];
  readonly tokensAfter: readonly TokenBalance[];
  readonly logs: readonly string[];
  readonly units: string;
  readonly inner: readonly InnerInstructions[];
  readonly returnData: Outcome['returnData'];
  /** Price of a compute unit in millionths of a lamport. */
  readonly unitPrice: string;
}

/** Every transaction since genesis, found by its signature and by every account that it names. */
export interface Ledger {
  readonly size: number;
  add(record: TransactionRecord): void;
  find(signature: string): TransactionRecord | undefined;
  /** The newest first. */
  of(address: string): readonly TransactionRecord[];
  /** The newest first, down to a slot. */
  since(slot: number): readonly TransactionRecord[];
}

export function createLedger(): Ledger {
  const all: TransactionRecord[] = [];
  const bySignature = new Map<string, TransactionRecord>();
  const byAccount = new Map<string, TransactionRecord[]>();
  return {
    get size() {
      return all.length;
    },
    add(record) {
      all.push(record);
      bySignature.set(record.signature, record);
      for (const address of new Set(record.accounts)) {
        const known = byAccount.get(address);
        if (known === undefined) byAccount.set(address, [record]);
        else known.push(record);
      }
    },
    find: (signature) => bySignature.get(signature),
    of: (address) => [...(byAccount.get(address) ?? [])].reverse(),
    since(slot) {
      const from = all.findLastIndex((record) => record.slot < slot);
      return all.slice(from + 1).reverse();
    },
  };
}
