import type { Logger } from 'pino';
import { resolveWithin } from '../async/resolve-within';
import type { CustomerId } from '../auth/principal';
import type { SectionWorth } from './snapshot-claims';
import type { SnapshotStoreDeps } from './snapshot-store';

/** When a stored snapshot is computed again. In milliseconds. */
export interface SnapshotTimes {
  /** Up to this age a snapshot is served as it is; 500 by default. */
  readonly freshMs?: number;
  /** Up to this age it is served while the next one is computed; 1,000 by default. Later, and after a change, a request waits. */
  readonly servedMs?: number;
  /** How long a request waits before it is served the old one; 800 by default. */
  readonly waitMs?: number;
  /**
   * Maximum time of a computation; 5,000 by default. Another process waits this long for its result. The claim of a process that
   * crashed expires after three times as long.
   */
  readonly computationMs?: number;
  /** An older one is served only when the next one cannot be computed; 5,000 by default. */
  readonly oldMs?: number;
  /** An older one is never served; six hours by default. */
  readonly maxAgeMs?: number;
}

export function timesOf({ snapshotTimes = {} }: Pick<SnapshotDeps, 'snapshotTimes'>): Required<SnapshotTimes> {
  const { freshMs = 500, servedMs = 1000, waitMs = 800, computationMs = 5000 } = snapshotTimes;
  const { oldMs = 5000, maxAgeMs = 6 * 3_600_000 } = snapshotTimes;
  return { freshMs, servedMs: Math.max(servedMs, freshMs), waitMs, computationMs, oldMs, maxAgeMs };
}

/**
 * The snapshot that is being computed. `undefined` when a stored one of this age is served instead: the next one takes too long
 * or cannot be computed.
 */
export function nextWithin<Next>(
  run: Promise<Next>,
  ageMs: number,
  { waitMs, oldMs, maxAgeMs }: Required<SnapshotTimes>,
): Promise<Next | undefined> {
  if (ageMs > maxAgeMs) return run;
  return (ageMs > oldMs ? run : resolveWithin(run, waitMs)).catch(() => undefined);
}

export interface SnapshotDeps extends SnapshotStoreDeps {
  readonly log: Pick<Logger, 'error'>;
  readonly snapshotTimes?: SnapshotTimes;
}

export interface SnapshotRequest {
  readonly customerId: CustomerId;
  /** Canonical addresses. */
  readonly wallets: readonly string[];
}

export interface DecodedSection<Value> {
  readonly value: Value;
  /** False when this process cannot serve it: the section is computed then, with the value as the previous one. */
  readonly isServable: boolean;
}

/** A section of overviews: how it is computed and stored. */
export interface SnapshotSection<Value extends object> {
  readonly name: string;
  /** Changes with the form of the text. */
  readonly format: number;
  encode(value: Value): string;
  decode(text: string): DecodedSection<Value>;
  /** `undefined` when nothing could be read. */
  worthOf(value: Value): SectionWorth | undefined;
  /**
   * Computes the section of each wallet, within a time limit of its own; one that fails stops no other. `previous`: the stored
   * ones, for what is unavailable now.
   */
  compute(request: SnapshotRequest, previous: ReadonlyMap<string, Value>): ReadonlyMap<string, Promise<Value>>;
}

export interface ServedSnapshot<Value> {
  readonly value: Value;
  readonly computedAt: Date;
  /** True for an old snapshot: a newer one is being computed, or its computation has failed. */
  readonly isStale: boolean;
}

/** Reads the sections of wallets, in the order of the wallets. One that fails has its error. */
export type ReadSnapshots<Value> = (
  request: SnapshotRequest & { readonly signal: AbortSignal },
) => Promise<readonly (ServedSnapshot<Value> | Error)[]>;
