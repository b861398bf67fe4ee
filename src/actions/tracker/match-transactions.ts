import { type Hex, keccak256 } from 'viem';
import type { Database } from '../../persistence/database';
import { type CallKey, type OpenKinds, openKinds, sendersWithOpenCalls } from './open-calls';
import type { MinedBlock, NodeTransaction } from './read-blocks';

/** The block of a transaction. */
export type BlockOfTransaction = Pick<MinedBlock, 'number' | 'hash' | 'timestamp' | 'issuedUntil'>;

/** A mined transaction that is identical to an open call. */
export interface MatchedTransaction {
  readonly transaction: NodeTransaction;
  readonly block: BlockOfTransaction;
  readonly key: CallKey;
  /**
   * - `approval`: it approves tokens, for every action that needs it.
   * - `other`: it executes at most one action.
   *
   * A transaction may be both, for different actions.
   */
  readonly kinds: OpenKinds;
}

export interface TransactionMatches {
  /** In the order of the chain. */
  readonly found: readonly MatchedTransaction[];
  /** Transactions of wallets with open calls that could not be compared with them. */
  readonly malformed: readonly (Pick<MatchedTransaction, 'transaction' | 'block'> & { readonly error: unknown })[];
}

/**
 * The transactions of these blocks that carry out open calls. Two queries for all blocks, whatever the number of calls.
 */
export async function matchTransactions(
  database: Database,
  chainId: number,
  blocks: readonly (BlockOfTransaction & Pick<MinedBlock, 'transactions'>)[],
): Promise<TransactionMatches> {
  const mined = blocks.flatMap((block) => block.transactions.map((transaction) => ({ transaction, block })));
  const senders = new Set(mined.map(({ transaction }) => senderOf(transaction)));
  const active = await sendersWithOpenCalls(database, { chainId, form: 'CALL', senders: [...senders] });
  const candidates: Omit<MatchedTransaction, 'kinds'>[] = [];
  const malformed: TransactionMatches['malformed'][number][] = [];
  for (const { transaction, block } of mined.filter((each) => active.has(senderOf(each.transaction)))) {
    try {
      candidates.push({ transaction, block, key: callKeyOf(transaction, block) });
    } catch (error) {
      malformed.push({ transaction, block, error });
    }
  }
  const keys = candidates.map(({ key }) => key);
  const kinds = await openKinds(database, chainId, keys);
  const found = candidates.flatMap((candidate, index) => {
    const own = kinds[index];
    return own?.approval === true || own?.other === true ? [{ ...candidate, kinds: own }] : [];
  });
  return { found, malformed };
}

const ADDRESS = /^0x[0-9a-f]{40}$/;

/** Lower case; empty without a valid address, as nodes may describe system transactions. */
function senderOf({ from }: { readonly from?: unknown }): string {
  const sender = typeof from === 'string' ? from.toLowerCase() : '';
  return ADDRESS.test(sender) ? sender : '';
}

/** What a call must have in common with the transaction that carries it out. */
export const callKeyOf = (
  transaction: {
    readonly from: string;
    readonly to?: string | null | undefined;
    readonly input?: Hex | undefined;
    readonly value?: bigint | undefined;
    readonly nonce?: number | undefined;
  },
  { issuedUntil }: Pick<MinedBlock, 'issuedUntil'> = {},
): CallKey => ({
  form: 'CALL',
  sender: senderOf(transaction),
  target: transaction.to?.toLowerCase() ?? '',
  value: (transaction.value ?? 0n).toString(),
  dataHash: keccak256(transaction.input ?? '0x', 'bytes'),
  nonce: transaction.nonce === undefined ? undefined : BigInt(transaction.nonce),
  issuedUntil,
});
