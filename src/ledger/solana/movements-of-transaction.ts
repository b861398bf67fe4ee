import { WRAPPED_SOL } from '../../chains/addresses';
import type { LandedTransaction } from '../../rpc/solana/landed-transaction';
import type { MovementKind } from '../record-movements';

/** What a transaction moved of one token into or out of a wallet. */
export interface SolanaEntry {
  /** -1 for SOL, from 0 on for tokens, in the order of their mints. */
  readonly position: number;
  /** The mint. SOL has that of its wrapper. */
  readonly token: string;
  readonly kind: MovementKind;
  /** In base units, above 0. */
  readonly amount: bigint;
  /** The account with the greatest opposite change; the system program when there is none: tokens were created or destroyed. */
  readonly counterparty: string;
}

/** The wallet whose entries are made, and its stored token accounts. */
export interface SolanaOwner {
  readonly wallet: string;
  /** Old transactions do not name the owners of token accounts. */
  readonly accounts: ReadonlySet<string>;
}

const SYSTEM_PROGRAM = '11111111111111111111111111111111';

type Changes = Map<string, bigint>;

/**
 * The movements of a wallet in a transaction: the net change of each token over all its accounts, and of SOL without the fee.
 * SOL and its wrapper are one token, so that wrapping moves nothing; the rent of an account that it opens is a movement of SOL.
 */
export function movementsOfTransaction(transaction: LandedTransaction, owner: SolanaOwner): readonly SolanaEntry[] {
  const changes = changesByToken(transaction, owner);
  const tokens = [...changes.keys()].filter((token) => token !== WRAPPED_SOL).sort();
  return [WRAPPED_SOL, ...tokens].flatMap((token, index) => {
    const ofToken = changes.get(token) ?? new Map<string, bigint>();
    const change = ofToken.get(owner.wallet) ?? 0n;
    if (change === 0n) return [];
    const kind = change > 0n ? 'transferIn' : 'transferOut';
    const amount = change > 0n ? change : -change;
    return [{ position: index - 1, token, kind, amount, counterparty: counterpartyOf(ofToken, owner.wallet) } as const];
  });
}

/** Token accounts that the transaction shows to belong to the wallet, before or after it. */
export const accountsIn = ({ tokens }: LandedTransaction, wallet: string): readonly string[] =>
  tokens.flatMap(({ account, owner, formerOwner }) => (owner === wallet || formerOwner === wallet ? [account] : []));

/** The change of each owner, by token. */
function changesByToken(
  { tokens, lamports, fee, signers }: LandedTransaction,
  { wallet, accounts }: SolanaOwner,
): ReadonlyMap<string, Changes> {
  const changes = new Map<string, Changes>([[WRAPPED_SOL, new Map()]]);
  const add = (token: string, owner: string, change: bigint): void => {
    const ofToken = changes.get(token) ?? new Map<string, bigint>();
    ofToken.set(owner, (ofToken.get(owner) ?? 0n) + change);
    changes.set(token, ofToken);
  };
  const wrappers = new Set<string>();
  for (const { account, mint, owner, formerOwner, before, after } of tokens) {
    const unnamed = accounts.has(account) ? wallet : account;
    const present = owner ?? unnamed;
    add(mint, present, after);
    add(mint, formerOwner ?? present, -before);
    if (mint === WRAPPED_SOL) wrappers.add(account);
  }
  for (const [account, { before, after }] of lamports) {
    // The lamports of a wrapper are its tokens.
    if (wrappers.has(account)) continue;
    add(WRAPPED_SOL, account, after - before + (account === signers[0] ? fee : 0n));
  }
  return changes;
}

function counterpartyOf(changes: Changes, wallet: string): string {
  const own = changes.get(wallet) ?? 0n;
  const sizeOf = (change: bigint): bigint => (own > 0n ? -change : change);
  let [found, size] = [SYSTEM_PROGRAM, 0n];
  for (const [account, change] of [...changes].sort(([one], [other]) => (one < other ? -1 : 1))) {
    if (account !== wallet && sizeOf(change) > size) [found, size] = [account, sizeOf(change)];
  }
  return found;
}
