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

/** The stored snapshot; from memory when its version is there. `undefined` for one that this process cannot serve. */
export async function load<Value extends object>(
  reader: Reader<Value>,
  place: Place,
  version: string,
): Promise<Known<Value> | undefined> {
  const loaded = await loadAny(reader, place, version);
  return loaded?.isServable === true ? loaded.known : undefined;
}

/** The value that the next one is computed from, also one that this process cannot serve. */
export async function loadPrevious<Value extends object>(
  reader: Reader<Value>,
  place: Place,
  version: string,
): Promise<Value | undefined> {
  return (await loadAny(reader, place, version))?.known.value;
}

async function loadAny<Value extends object>(
  reader: Reader<Value>,
  place: Place,
  version: string,
): Promise<{ readonly known: Known<Value>; readonly isServable: boolean } | undefined> {
  const kept = reader.kept.get(textOf(place));
  if (kept?.version !== undefined && BigInt(kept.version) >= BigInt(version)) return { known: kept, isServable: true };
  const row = await readBody(reader.deps, keyOf(reader, place));
  if (row === undefined) return undefined;
  const { body, ...stored } = row;
  const { value, isServable } = reader.section.decode(body);
  const known = { ...stored, value, size: body.length };
  if (isServable) reader.kept.set(textOf(place), known);
  return { known, isServable };
}
