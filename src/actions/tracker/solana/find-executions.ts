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

export interface Findings {
  readonly found: readonly FoundExecution[];
  /** References whose transactions could not be read. */
  readonly failed: readonly { readonly reference: OpenReference; readonly error: unknown }[];
}

/**
 * The confirmed transactions that execute the plans of the references: for each reference the first successful one, or
 * else the first failed one. A reference whose transactions cannot be read does not fail the others.
 *
 * @throws PROVIDER_UNAVAILABLE when the chain does not respond
 */
export async function findExecutions(
  { solana, schedule }: Pick<SolanaTrackerDeps, 'solana' | 'schedule'>,
  chainId: number,
  references: readonly OpenReference[],
): Promise<Findings> {
  if (references.length === 0) return { found: [], failed: [] };
  const failures = new Map<OpenReference, unknown>();
  const seen = await solana.signaturesOfEach(
    chainId,
    references.map(({ reference }) => reference),
  );
  const candidates = references.flatMap((reference, index) => {
    const result = seen[index];
    if (result?.status === 'rejected') failures.set(reference, result.reason);
    return (result?.status === 'fulfilled' ? [...result.value] : [])
      .reverse()
      .filter(({ signature }) => !schedule.isRejected(reference.key, signature))
      .slice(0, MAX_CANDIDATES_PER_PASS)
      .map(({ signature }) => ({ reference, signature }));
  });
  const signatures = candidates.map(({ signature }) => signature);
  const transactions =
    signatures.length === 0 ? [] : await solana.eachTransaction(chainId, { signatures, commitment: 'confirmed' });
  const matched = candidates.map(({ reference, signature }, index) => {
    const result = transactions[index];
    if (result?.status === 'rejected') failures.set(reference, result.reason);
    const transaction = result?.status === 'fulfilled' ? result.value : undefined;
    const match = transaction === undefined ? 'unread' : matchPlan(transaction, reference.plan);
    if (match === 'unrelated') schedule.reject(reference.key, signature);
    return { reference, transaction, match };
  });
  const found = references.flatMap((reference) => {
    const own = matched.filter((candidate) => candidate.reference === reference);
    const rank = ['executed', 'unread', 'failed'].find((wanted) => own.some(({ match }) => match === wanted));
    const transaction = own.find(({ match }) => match === rank)?.transaction;
    return transaction === undefined ? [] : [{ reference, transaction }];
  });
  for (const { reference } of found) failures.delete(reference);
  return { found, failed: [...failures].map(([reference, error]) => ({ reference, error })) };
}
