import { createSnapshotReader } from '../../snapshots/snapshot-reader';
import { sumUsd, usdWorth } from '../../money/usd';
import type { DecodedSection, ReadSnapshots, SnapshotDeps } from '../../snapshots/snapshot-section';
import type { SectionWorth } from '../../snapshots/snapshot-store';
import { decodeSnapshot, encodeSnapshot } from '../../snapshots/snapshot-text';
import type { Strategies } from '../catalog/strategies';
import { restorePositions, type StoredPosition, storedPosition } from './stored-positions';
import { type EarnDeps, readWalletEarn, type WalletEarn } from './wallet-earn';

export type EarnSnapshotDeps = EarnDeps & SnapshotDeps;

type StoredEarn = Omit<WalletEarn, 'positions'> & { readonly positions: readonly StoredPosition[] };

/** Creates the reader of positions in a process. A reading is not aborted with a request, because others may wait for it. */
export const createWalletEarnReader = (deps: EarnSnapshotDeps): ReadSnapshots<WalletEarn> =>
  createSnapshotReader<WalletEarn>(deps, {
    name: 'earn',
    format: 2,
    encode: encodeEarn,
    decode: (text) => decodeEarn(deps, text),
    worthOf,
    compute({ customerId, wallets }, previous) {
      const { signal } = new AbortController();
      const read = (wallet: string) =>
        readWalletEarn(deps, { customerId, wallet, signal, previous: previous.get(wallet) });
      return new Map(wallets.map((wallet) => [wallet, read(wallet)]));
    },
  });

/** Each error is a strategy, or a chain whose strategies were not read yet. An empty position with rewards needs no price. */
export function worthOf({ positions, errors, real, snapshot }: WalletEarn): SectionWorth | undefined {
  if (snapshot.state === 'failed') return undefined;
  const held = positions.filter(({ spotPosition: { currentPosition } }) => currentPosition.value !== '0');
  const values = held.map(({ spotPosition: { valueUsd } }) => valueUsd);
  const usd = sumUsd(values.filter((value) => value !== undefined));
  const unpriced = values.filter((value) => value === undefined).length;
  return { usd, brl: real === undefined ? undefined : usdWorth(usd, real), unpriced, unread: errors.length };
}

/** The text of positions. Strategies are stored by their ids. */
export function encodeEarn({ positions, ...earn }: WalletEarn): string {
  const stored: StoredEarn = { ...earn, positions: positions.map(storedPosition) };
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
