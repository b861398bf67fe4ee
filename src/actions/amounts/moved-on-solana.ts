import { WRAPPED_SOL } from '../../chains/addresses';
import type { LandedTransaction } from '../../rpc/solana/landed-transaction';

/** Balance changes of a transaction. */
export type Moves = Pick<LandedTransaction, 'fee' | 'signers' | 'lamports' | 'tokens'>;

/** The balance of a token in an account. The mint of wrapped SOL stands for SOL. */
export interface SolanaHolding {
  readonly token: string;
  readonly owner: string;
}

/** Base units that a transaction moved to the owner; `undefined` when it moved none. */
export function receivedOnSolana(moves: Moves, holding: SolanaHolding): bigint | undefined {
  return positive(netChange(moves, holding));
}

/** Base units that a transaction moved from the owner; `undefined` when it moved none. */
export function spentOnSolana(moves: Moves, holding: SolanaHolding): bigint | undefined {
  return positive(-netChange(moves, holding));
}

const positive = (amount: bigint): bigint | undefined => (amount > 0n ? amount : undefined);

/**
 * Change of the owner's balance by a transaction. SOL counts the lamports of the wallet and the wrapped ones together,
 * without the network's fee and the deposits of token accounts, which belong to neither the input nor the output.
 */
export function netChange(moves: Moves, { token, owner }: SolanaHolding): bigint {
  const inAccounts = moves.tokens
    .filter((change) => change.mint === token && change.owner === owner)
    .reduce((sum, { before, after }) => sum + after - before, 0n);
  if (token !== WRAPPED_SOL) return inAccounts;
  const wallet = moves.lamports.get(owner);
  const inWallet = (wallet?.after ?? 0n) - (wallet?.before ?? 0n);
  return inWallet + inAccounts + costs(moves, owner);
}

/** Lamports that the owner paid for the transaction itself: fee and deposits, minus returned deposits. */
function costs(moves: Moves, owner: string): bigint {
  if (moves.signers[0] !== owner) return 0n;
  return moves.tokens.reduce((sum, change) => sum + depositOf(moves, change, owner), moves.fee);
}

/** Deposit of an opened token account; negative for a closed account of the owner. */
function depositOf(moves: Moves, change: Moves['tokens'][number], owner: string): bigint {
  const lamports = moves.lamports.get(change.account);
  if (lamports === undefined) return 0n;
  // The lamports of an account of wrapped SOL are its tokens and the deposit.
  const [wasWrapped, isWrapped] = change.mint === WRAPPED_SOL ? [change.before, change.after] : [0n, 0n];
  if (change.exists && !change.existed) return lamports.after - isWrapped;
  const isClosed = change.existed && !change.exists && change.owner === owner;
  return isClosed ? wasWrapped - lamports.before : 0n;
}
