import type { Logger } from 'pino';
import type { CustomerId } from '../auth/principal';
import type { SectionWorth } from './snapshot-claims';
import type { SnapshotStoreDeps } from './snapshot-store';
import type { SnapshotTimes } from './snapshot-times';

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
