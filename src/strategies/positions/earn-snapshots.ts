import { createSnapshotReader } from '../../snapshots/snapshot-reader';
import { type MicroUsd, sumUsd, usdWorth } from '../../money/usd';
import type { DecodedSection, ReadSnapshots, ServedSnapshot, SnapshotDeps } from '../../snapshots/snapshot-section';
import type { SectionWorth } from '../../snapshots/snapshot-claims';
import { decodeSnapshot, encodeSnapshot } from '../../snapshots/snapshot-text';
import type { Strategies } from '../catalog/strategies';
import { applyDeltas, type DeltaReason } from './apply-deltas';
import { readWalletActions, type WalletActions } from './executed-actions';
import type { EarnPositionView } from './position-view';
import { restorePositions, type PositionJson, toPositionJson } from './stored-positions';
import { type EarnDeps, readWalletEarn, summaryOf, type WalletEarn } from './wallet-earn';

export type EarnSnapshotDeps = EarnDeps & SnapshotDeps;

type StoredEarn = Omit<WalletEarn, 'positions'> & { readonly positions: readonly PositionJson[] };

/** Positions as clients show them: with the amounts of actions that were executed since they were read. */
export interface ShownEarn extends Omit<WalletEarn, 'snapshot' | 'actions' | 'blocks' | 'unavailable'> {
  readonly snapshot: WalletEarn['snapshot'] & {
    /** True when a position contains the amounts of executed actions of later blocks. */
    readonly deltaApplied: boolean;
    readonly deltaReason: DeltaReason | undefined;
    readonly pendingActionCount: number;
  };
}

/** Creates the reader of positions in a process. The actions are those of the time of the request. */
export function createWalletEarnReader(deps: EarnSnapshotDeps): ReadSnapshots<ShownEarn> {
  const read = createEarnReader(deps);
  return async (request) => {
    const { customerId, wallets } = request;
    const served = await read(request);
    // A current snapshot has the actions of now.
    const old = wallets.filter((_, index) => isOld(served[index]));
    const actions =
      old.length === 0 ? new Map<string, WalletActions>() : await readWalletActions(deps, { customerId, wallets: old });
    return served.map((each, index) =>
      each instanceof Error ? each : { ...each, value: shownEarn(each.value, actions.get(wallets[index] ?? '')) },
    );
  };
}

const isOld = (served: ServedSnapshot<WalletEarn> | Error | undefined): boolean =>
  served !== undefined && !(served instanceof Error) && served.isStale;

/** The section with the actions of the wallet: those of its computation, unless newer ones are given. */
export function shownEarn(
  { snapshot, actions: known, blocks, unavailable, ...earn }: WalletEarn,
  actions = known,
): ShownEarn {
  const read = { positions: earn.positions, blocks, unavailable };
  const { positions, isApplied, reason } = applyDeltas(read, actions);
  return {
    ...earn,
    positions,
    summary: isApplied ? summaryOf(positions) : earn.summary,
    snapshot: { ...snapshot, deltaApplied: isApplied, deltaReason: reason, pendingActionCount: actions.pendingCount },
  };
}

/** A reading is not aborted with a request, because others may wait for it. */
const createEarnReader = (deps: EarnSnapshotDeps): ReadSnapshots<WalletEarn> =>
  createSnapshotReader<WalletEarn>(deps, {
    name: 'earn',
    format: 5,
    encode: encodeEarn,
    decode: (text) => decodeEarn(deps, text),
    worthOf: earnWorth,
    compute({ customerId, wallets }, previous) {
      const { signal } = new AbortController();
      const read = (wallet: string) =>
        readWalletEarn(deps, { customerId, wallet, signal, previous: previous.get(wallet) });
      return new Map(wallets.map((wallet) => [wallet, read(wallet)]));
    },
  });

/**
 * Each error is a strategy, or a chain whose strategies were not read yet. Positions that lack executed actions are incomplete as well:
 * the tokens of the wallet may have been read at a later block, which contains them. An empty position with rewards needs no price.
 * Deposits that were requested are still the wallet's.
 */
export function earnWorth({ errors, real, snapshot, actions, ...read }: WalletEarn): SectionWorth | undefined {
  if (snapshot.state === 'failed') return undefined;
  const values = read.positions.flatMap(({ spotPosition }) => worthOfPosition(spotPosition));
  const usd = sumUsd(values.filter((value) => value !== undefined));
  const unpriced = values.filter((value) => value === undefined).length;
  const brl = real === undefined ? undefined : usdWorth(usd, real);
  const isComplete = applyDeltas(read, actions).reason === undefined;
  return { usd, brl, unpriced, apart: { usd, brl, unpriced }, unread: errors.length + (isComplete ? 0 : 1) };
}

/** In US dollars, `undefined` without a price. None for an empty position. */
function worthOfPosition({
  currentPosition,
  valueUsd,
  requestedUsd,
}: EarnPositionView['spotPosition']): readonly (MicroUsd | undefined)[] {
  if (requestedUsd === 0n) return currentPosition.value === '0' ? [] : [valueUsd];
  return [valueUsd === undefined || requestedUsd === undefined ? undefined : sumUsd([valueUsd, requestedUsd])];
}

/** The text of positions. Strategies are stored by their ids. */
export function encodeEarn({ positions, ...earn }: WalletEarn): string {
  const stored: StoredEarn = { ...earn, positions: positions.map(toPositionJson) };
  return encodeSnapshot(stored);
}

/** Not servable when this process does not know a strategy of the text, which `encodeEarn` has written. */
export function decodeEarn(
  { strategies }: { readonly strategies: Pick<Strategies, 'all'> },
  text: string,
): DecodedSection<WalletEarn> {
  const { positions: stored, unread, ...earn } = decodeSnapshot(text) as StoredEarn;
  const { positions, unknown } = restorePositions(strategies.all(), stored);
  return { value: { ...earn, positions, unread: [...unread, ...unknown] }, isServable: unknown.length === 0 };
}
