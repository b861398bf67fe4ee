import { WRAPPED_SOL } from '../../chains/addresses';
import type { LandedTransaction } from '../../rpc/solana/landed-transaction';

/** What a transaction moved, as far as it matters here. */
export type Moves = Pick<LandedTransaction, 'fee' | 'signers' | 'lamports' | 'tokens'>;

/** A token and whose balance of it is in question. The mint of wrapped SOL stands for SOL. */
export interface SolanaHolding {
  readonly token: string;
  readonly owner: string;
}

/** What a transaction really brought to the owner, in base units; `undefined` when it brought nothing. */
export function receivedOnSolana(moves: Moves, holding: SolanaHolding): bigint | undefined {
  return positive(netChange(moves, holding));
}

/** What a transaction really took from the owner, in base units; `undefined` when it took nothing. */
export function spentOnSolana(moves: Moves, holding: SolanaHolding): bigint | undefined {
  return positive(-netChange(moves, holding));
}

const positive = (amount: bigint): bigint | undefined => (amount > 0n ? amount : undefined);

/**
 * By how much more of a token the owner has after a transaction. Of SOL: lamports of the wallet and wrapped ones
 * together, without the network's fee and the deposits of token accounts, which are no part of what was bought or sold.
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

/** What the owner paid, less what came back, for the transaction itself. */
function costs(moves: Moves, owner: string): bigint {
  if (moves.signers[0] !== owner) return 0n;
  return moves.tokens.reduce((sum, change) => sum + depositOf(moves, change, owner), moves.fee);
}

/** What was laid down for a token account that was opened, or with a minus came back from one of the owner's. */
function depositOf(moves: Moves, change: Moves['tokens'][number], owner: string): bigint {
  const lamports = moves.lamports.get(change.account);
  if (lamports === undefined) return 0n;
  // The lamports of an account of wrapped SOL are its tokens and the deposit.
  const [wasWrapped, isWrapped] = change.mint === WRAPPED_SOL ? [change.before, change.after] : [0n, 0n];
  if (change.exists && !change.existed) return lamports.after - isWrapped;
  const isClosed = change.existed && !change.exists && change.owner === owner;
  return isClosed ? wasWrapped - lamports.before : 0n;
}
