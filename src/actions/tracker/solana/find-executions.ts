import type { LandedTransaction } from '../../../rpc/solana/landed-transaction';
import { matchPlan } from './match-plan';
import type { OpenReference } from './open-references';
import type { SolanaTrackerDeps } from './solana-tracker-deps';

export interface FoundExecution {
  readonly reference: OpenReference;
  readonly transaction: LandedTransaction;
}

/** Transactions of one reference that a pass reads, oldest first. */
const MAX_CANDIDATES_PER_PASS = 20;

/**
 * The confirmed transactions that execute the plans of the references: for each reference the first successful one, or
 * else the first failed one.
 */
export async function findExecutions(
  { solana, schedule }: Pick<SolanaTrackerDeps, 'solana' | 'schedule'>,
  chainId: number,
  references: readonly OpenReference[],
): Promise<readonly FoundExecution[]> {
  if (references.length === 0) return [];
  const seen = await solana.signaturesOf(
    chainId,
    references.map(({ reference }) => reference),
  );
  const candidates = references.flatMap((reference, index) =>
    [...(seen[index] ?? [])]
      .reverse()
      .filter(({ signature }) => !schedule.isRejected(reference.key, signature))
      .slice(0, MAX_CANDIDATES_PER_PASS)
      .map(({ signature }) => ({ reference, signature })),
  );
  const signatures = candidates.map(({ signature }) => signature);
  const transactions = await solana.transactions(chainId, { signatures, commitment: 'confirmed' });
  const matched = candidates.map(({ reference, signature }, index) => {
    const transaction = transactions[index];
    const match = transaction === undefined ? 'unread' : matchPlan(transaction, reference.plan);
    if (match === 'unrelated') schedule.reject(reference.key, signature);
    return { reference, transaction, match };
  });
  return references.flatMap((reference) => {
    const own = matched.filter((candidate) => candidate.reference === reference);
    const rank = ['executed', 'unread', 'failed'].find((wanted) => own.some(({ match }) => match === wanted));
    const transaction = own.find(({ match }) => match === rank)?.transaction;
    return transaction === undefined ? [] : [{ reference, transaction }];
  });
}
