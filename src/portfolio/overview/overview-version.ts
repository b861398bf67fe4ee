import type { CustomerId } from '../../auth/principal';
import { parseEvmAddress, parseSolanaAddress } from '../../chains/addresses';
import { type SnapshotDeps } from '../../snapshots/snapshot-section';
import { timesOf } from '../../snapshots/snapshot-times';
import { readSectionStates } from '../../snapshots/snapshot-store';

/** Sections of an overview that are stored. */
const STORED = ['tokens', 'earn'];

/** Fields of a wallet from which an overview consists. */
export const OVERVIEW_FIELDS: ReadonlySet<string> = new Set([...STORED, 'address', 'firstSeenAt', 'history']);

interface OverviewRequest {
  readonly customerId: CustomerId;
  readonly address: unknown;
  readonly fields: readonly { readonly name: string; readonly arguments: Readonly<Record<string, unknown>> }[];
}

/**
 * Version of an overview, in one statement: that of its stored sections, which are current and not old, with the times of their
 * computation, which an overview states, and before which it may have shown them as stale. `isDue`: they should be
 * computed again, and no process does yet. `undefined` when the overview has to be read: a section is not stored, is old, or what
 * it was computed from has changed; the request has no stored section, or a history with drafts, which the version does not
 * cover.
 */
export async function readOverviewVersion(
  deps: Pick<SnapshotDeps, 'pool' | 'snapshotTimes'>,
  { customerId, address, fields }: OverviewRequest,
): Promise<{ readonly version: string; readonly isDue: boolean } | undefined> {
  const wallet = typeof address === 'string' ? (parseEvmAddress(address) ?? parseSolanaAddress(address)) : undefined;
  const sections = STORED.filter((section) => fields.some(({ name }) => name === section));
  const hasDrafts = fields.some((field) => field.name === 'history' && field.arguments['status'] === 'INITIAL');
  if (wallet === undefined || sections.length === 0 || hasDrafts) return undefined;
  const { freshMs, servedMs } = timesOf(deps);
  const states = await readSectionStates(deps, { customerId, wallet, sections });
  const isServed = states.every(({ isCurrent, ageMs }) => isCurrent && ageMs < servedMs);
  if (states.length < sections.length || !isServed) return undefined;
  return {
    version: states
      .map(({ section, version, computedAt }) => `${section} ${version} ${String(computedAt.getTime())}`)
      .sort()
      .join(' '),
    isDue: states.some(({ ageMs, isClaimed }) => ageMs >= freshMs && !isClaimed),
  };
}
