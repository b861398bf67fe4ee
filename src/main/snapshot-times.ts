import type { Config } from '../config/config';
import type { SnapshotTimes } from '../snapshots/snapshot-times';

/**
 * A request that has waited two fifths of the timeout of reads is served the stored overview. A section is read in up to four steps
 * with that timeout, which is well within the claim.
 */
export const snapshotTimes = ({ READ_TIMEOUT_MS: readMs }: Pick<Config, 'READ_TIMEOUT_MS'>): SnapshotTimes => ({
  waitMs: Math.ceil(readMs * 0.4),
  claimMs: Math.ceil(readMs * 7.5),
});
