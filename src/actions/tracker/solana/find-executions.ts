import type { LandedTransaction } from '../../../rpc/solana/landed-transaction';
import { verdictOn } from './match-plan';
import type { OpenReference } from './open-references';
import type { SolanaTrackerDeps } from './solana-tracker-deps';

export interface FoundExecution {
  readonly sought: OpenReference;
  readonly transaction: LandedTransaction;
}

/** Transactions of one reference that a pass looks at, the oldest first: only its own wallet can make more of them. */
const CANDIDATES_A_PASS = 20;

/** The confirmed transactions that execute the plans behind the references: of each the first, one that succeeded before one that failed. */
export async function findExecutions(
  { solana, looks }: Pick<SolanaTrackerDeps, 'solana' | 'looks'>,
  chainId: number,
  sought: readonly OpenReference[],
): Promise<readonly FoundExecution[]> {
  if (sought.length === 0) return [];
  const seen = await solana.signaturesOf(
    chainId,
    sought.map(({ reference }) => reference),
  );
  const candidates = sought.flatMap((reference, index) =>
    [...(seen[index] ?? [])]
      .reverse()
      .filter(({ signature }) => !looks.isRejected(reference.key, signature))
      .slice(0, CANDIDATES_A_PASS)
      .map(({ signature }) => ({ reference, signature })),
  );
  const signatures = candidates.map(({ signature }) => signature);
  const transactions = await solana.transactions(chainId, { signatures, commitment: 'confirmed' });
  const judged = candidates.map(({ reference, signature }, index) => {
    const transaction = transactions[index];
    const verdict = transaction === undefined ? 'unread' : verdictOn(transaction, reference.plan);
    if (verdict === 'unrelated') looks.reject(reference.key, signature);
    return { reference, transaction, verdict };
  });
  return sought.flatMap((reference) => {
    const own = judged.filter((candidate) => candidate.reference === reference);
    const rank = ['executed', 'unread', 'failed'].find((wanted) => own.some(({ verdict }) => verdict === wanted));
    const transaction = own.find(({ verdict }) => verdict === rank)?.transaction;
    return transaction === undefined ? [] : [{ sought: reference, transaction }];
  });
}
