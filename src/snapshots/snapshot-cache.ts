import { createHash } from 'node:crypto';
import type { LRUCache } from 'lru-cache';
import type { CustomerId } from '../auth/principal';
import type { ServedSnapshot, SnapshotDeps, SnapshotRequest, SnapshotSection } from './snapshot-section';
import type { SnapshotTimes } from './snapshot-times';
import { readStoredBody, type SnapshotKey, type SnapshotKeys, type StoredVersion } from './snapshot-store';

export interface ComputedSnapshot<Value> extends Omit<ServedSnapshot<Value>, 'isStale'> {
  /** `undefined` for one that is not stored. */
  readonly version: string | undefined;
}

/** A value that is stored as a body. */
interface CachedSnapshot<Value> extends ComputedSnapshot<Value> {
  readonly version: string;
  /** Characters of the body. */
  readonly size: number;
  /** SHA-256 of the body. */
  readonly digest: string;
}

export const digestOf = (body: string): string => createHash('sha256').update(body).digest('base64');

/** The snapshots of a section in this process. */
export interface Reader<Value extends object> {
  readonly deps: SnapshotDeps;
  readonly times: Required<SnapshotTimes>;
  readonly section: SnapshotSection<Value>;
  /** The latest values by customer and wallet. */
  readonly kept: LRUCache<string, CachedSnapshot<Value>>;
  /** Computations in progress by customer and wallet. */
  readonly running: Map<string, Promise<ComputedSnapshot<Value>>>;
}

export interface Place {
  readonly customerId: CustomerId;
  readonly wallet: string;
}

export const keysOf = <Value extends object>({ section }: Reader<Value>, request: SnapshotRequest): SnapshotKeys => ({
  ...request,
  section: section.name,
  format: section.format,
});

export const keyOf = <Value extends object>({ section }: Reader<Value>, place: Place): SnapshotKey => ({
  ...place,
  section: section.name,
  format: section.format,
});

export const textOf = ({ customerId, wallet }: Place): string => `${customerId}:${wallet}`;

type StoredPlace = Pick<StoredVersion, 'version' | 'computedAt'>;

/** The stored snapshot; from memory when its version is there. `undefined` for one that this process cannot serve. */
export async function load<Value extends object>(
  reader: Reader<Value>,
  place: Place,
  stored: StoredPlace,
): Promise<ComputedSnapshot<Value> | undefined> {
  const loaded = await loadAny(reader, place, stored);
  return loaded?.isServable === true ? loaded.known : undefined;
}

/** The value that the next one is computed from, also one that this process cannot serve. */
export async function loadPrevious<Value extends object>(
  reader: Reader<Value>,
  place: Place,
  stored: StoredPlace,
): Promise<Value | undefined> {
  return (await loadAny(reader, place, stored))?.known.value;
}

async function loadAny<Value extends object>(
  reader: Reader<Value>,
  place: Place,
  { version, computedAt }: StoredPlace,
): Promise<{ readonly known: ComputedSnapshot<Value>; readonly isServable: boolean } | undefined> {
  const kept = reader.kept.get(textOf(place));
  if (kept !== undefined && BigInt(kept.version) >= BigInt(version)) {
    // The same version may have been computed again.
    const isOlder = kept.version === version && kept.computedAt < computedAt;
    return { known: isOlder ? { ...kept, computedAt } : kept, isServable: true };
  }
  const row = await readStoredBody(reader.deps, keyOf(reader, place));
  if (row === undefined) return undefined;
  const { body, ...times } = row;
  const { value, isServable } = reader.section.decode(body);
  const known = { ...times, value, size: body.length, digest: digestOf(body) };
  if (isServable) reader.kept.set(textOf(place), known);
  return { known, isServable };
}

/** True for a current result of a later computation than the former one, also when it has found nothing new. */
export const isNext = ({ version, computedAt, isCurrent }: StoredVersion, former: StoredVersion | undefined): boolean =>
  isCurrent && (version !== former?.version || computedAt > former.computedAt);
