import { createSnapshotReader } from '../../snapshots/snapshot-reader';
import { sumUsd, usdWorth } from '../../money/usd';
import type { ReadSnapshots, SnapshotDeps } from '../../snapshots/snapshot-section';
import type { SectionWorth } from '../../snapshots/snapshot-store';
import { decodeSnapshot, encodeSnapshot } from '../../snapshots/snapshot-text';
import type { Strategies } from '../catalog/strategies';
import type { MarketDataView, StrategyView } from '../views/strategy-view';
import type { EarnPositionView } from './position-view';
import { type EarnDeps, readWalletEarn, type WalletEarn } from './wallet-earn';

export type EarnSnapshotDeps = EarnDeps & SnapshotDeps;

/** A position without the strategy itself, which each process has. */
interface StoredPosition {
  readonly view: Omit<StrategyView, 'strategy' | 'marketData'> & Absent<'strategy' | 'marketData'>;
  readonly marketData: (Omit<MarketDataView, 'strategy'> & Absent<'strategy'>) | undefined;
  readonly spotPosition: EarnPositionView['spotPosition'];
}

/** Properties that are left out of the text. */
type Absent<Name extends string> = Readonly<Partial<Record<Name, undefined>>>;

type StoredEarn = Omit<WalletEarn, 'positions'> & { readonly positions: readonly StoredPosition[] };

/** Creates the reader of positions in a process. A reading is not aborted with a request, because others may wait for it. */
export const createWalletEarnReader = (deps: EarnSnapshotDeps): ReadSnapshots<WalletEarn> =>
  createSnapshotReader<WalletEarn>(deps, {
    name: 'earn',
    format: 1,
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

/** `undefined` when a strategy could not be read. */
function worthOf({ positions, errors, real }: WalletEarn): SectionWorth | undefined {
  if (errors.length > 0) return undefined;
  const values = positions.map(({ spotPosition: { valueUsd } }) => valueUsd);
  const usd = sumUsd(values.filter((value) => value !== undefined));
  const unpriced = values.filter((value) => value === undefined).length;
  return { usd, brl: real === undefined ? undefined : usdWorth(usd, real), unpriced };
}

/** The text of positions. Strategies are stored by their ids. */
export function encodeEarn({ positions, ...earn }: WalletEarn): string {
  const stored: StoredEarn = { ...earn, positions: positions.map(storedPosition) };
  return encodeSnapshot(stored);
}

const storedPosition = ({ strategy: { marketData, ...view }, spotPosition }: EarnPositionView): StoredPosition => ({
  view: { ...view, strategy: undefined },
  marketData: marketData === undefined ? undefined : { ...marketData, strategy: undefined },
  spotPosition,
});

/** `undefined` when this process does not know a strategy of the text, which `encodeEarn` has written. */
export function decodeEarn(
  { strategies }: { readonly strategies: Pick<Strategies, 'all'> },
  text: string,
): WalletEarn | undefined {
  const { positions: stored, ...earn } = decodeSnapshot(text) as StoredEarn;
  const byId = new Map(strategies.all().map((strategy) => [strategy.row.id, strategy]));
  const positions = stored.flatMap(({ view, marketData, spotPosition }): readonly EarnPositionView[] => {
    const strategy = byId.get(view.id);
    if (strategy === undefined) return [];
    const figures = marketData === undefined ? undefined : { ...marketData, strategy };
    return [{ strategy: { ...view, marketData: figures, strategy }, spotPosition }];
  });
  return positions.length === stored.length ? { ...earn, positions } : undefined;
}
