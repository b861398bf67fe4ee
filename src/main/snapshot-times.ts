import type { Config } from '../config/config';
import type { SnapshotTimes } from '../snapshots/snapshot-section';

/** A request that has waited two fifths of the time for reads is served the stored overview. */
export const snapshotTimes = ({ READ_TIMEOUT_MS: readMs }: Pick<Config, 'READ_TIMEOUT_MS'>): SnapshotTimes => ({
  waitMs: Math.ceil(readMs * 0.4),
});
