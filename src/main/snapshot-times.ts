import type { Config } from '../config/config';
import type { SnapshotTimes } from '../snapshots/snapshot-times';

/**
 * A request that has waited two fifths of the timeout of reads is served the stored overview. The tokens of an overview are read in
 * three steps, which together take less than two and a half times that timeout.
 */
export const snapshotTimes = ({ READ_TIMEOUT_MS: readMs }: Pick<Config, 'READ_TIMEOUT_MS'>): SnapshotTimes => ({
  waitMs: Math.ceil(readMs * 0.4),
  computationMs: Math.ceil(readMs * 2.5),
});
