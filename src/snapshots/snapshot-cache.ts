import type { LRUCache } from 'lru-cache';
import type { CustomerId } from '../auth/principal';
import type { ServedSnapshot, SnapshotDeps, SnapshotRequest, SnapshotSection, SnapshotTimes } from './snapshot-section';
import { readBody, type SnapshotKey, type SnapshotKeys } from './snapshot-store';

export interface Known<Value> extends Omit<ServedSnapshot<Value>, 'isStale'> {
  /** `undefined` for one that is not stored. */
  readonly version: string | undefined;
}

/** The snapshots of a section in this process. */
export interface Reader<Value extends object> {
  readonly deps: SnapshotDeps;
  readonly times: Required<SnapshotTimes>;
  readonly section: SnapshotSection<Value>;
  /** The latest values by customer and wallet. */
  readonly kept: LRUCache<string, Known<Value> & { readonly size: number }>;
  /** Computations in progress by customer and wallet. */
  readonly running: Map<string, Promise<Known<Value>>>;
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

/** The stored snapshot; from memory when its version is there. */
export async function load<Value extends object>(
  reader: Reader<Value>,
  place: Place,
  version: string | undefined,
): Promise<Known<Value> | undefined> {
  const known = reader.kept.get(textOf(place));
  if (known?.version !== undefined && version !== undefined && BigInt(known.version) >= BigInt(version)) return known;
  const row = await readBody(reader.deps, keyOf(reader, place));
  if (row === undefined) return undefined;
  const { body, ...stored } = row;
  const value = reader.section.decode(body);
  if (value === undefined) return undefined;
  const loaded = { ...stored, value, size: body.length };
  reader.kept.set(textOf(place), loaded);
  return loaded;
}
