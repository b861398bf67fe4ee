import DataLoader from 'dataloader';
import type { CustomerId } from '../../src/auth/principal';
import { type CoverageDeps, listCoverage } from '../../src/ledger/coverage';
import {
  findRefusals,
  indexedChainIds,
  indexedSolanaIds,
  isOnSolana,
  listMovements,
  type MovementDeps,
  type MovementFilter,
} from '../../src/ledger/list-movements';
import type { MovementCoverage } from '../../src/ledger/movement-coverage';
import type { MovementConnection } from '../../src/ledger/movement-view';
import { wakeSolanaWallets } from '../../src/ledger/solana/solana-watches';
import { requestWatches } from '../../src/ledger/watch-wallets';

/** Loads movements of wallets for one request: one query for all wallets that need the same slice. */
export interface MovementsLoader {
  /** @throws RATE_LIMIT_EXCEEDED for a wallet above the limit of the customer */
  load(address: string, filter: MovementFilter): Promise<MovementConnection>;
  loadCoverage(address: string): Promise<readonly MovementCoverage[]>;
}

export interface MovementReader {
  readonly customerId: CustomerId;
  /** True when the request may add wallets: the wallets of its movements are watched from now on. */
  readonly mayWatch: boolean;
}

export function createMovementsLoader(
  deps: MovementDeps & CoverageDeps,
  { customerId, mayWatch }: MovementReader,
): MovementsLoader {
  const hasSolana = indexedSolanaIds(deps).length > 0;
  const isOff = indexedChainIds(deps).length === 0 && !hasSolana;
  const slices = new Map<string, DataLoader<string, MovementConnection>>();
  // The cursors of Solana wallets are others: one of them is an error for the wallets of EVM chains alone.
  const sliceLoader = (filter: MovementFilter, onSolana: boolean): DataLoader<string, MovementConnection> => {
    const key = JSON.stringify({ ...filter, onSolana });
    const loader =
      slices.get(key) ??
      new DataLoader<string, MovementConnection>(async (addresses) => {
        if (isOff) return listMovements(deps, { customerId, addresses, filter });
        const [refusals, slicesOfWallets] = await Promise.all([
          findRefusals(deps, { customerId, addresses }),
          listMovements(deps, { customerId, addresses, filter }),
        ]);
        return slicesOfWallets.map((slice, index) => refusals.get(addresses[index] ?? '') ?? slice);
      });
    slices.set(key, loader);
    return loader;
  };
  const coverages = new DataLoader(async (addresses: readonly string[]) => {
    if (isOff) return addresses.map(() => []);
    const onSolana = addresses.filter(isOnSolana);
    const recorded = hasSolana ? addresses : addresses.filter((address) => !isOnSolana(address));
    if (mayWatch) await requestWatches(deps.database, { customerId, addresses: recorded });
    if (mayWatch && hasSolana && onSolana.length > 0) {
      await wakeSolanaWallets(deps.database, { customerId, addresses: onSolana });
    }
    return listCoverage(deps, { customerId, addresses });
  });
  return {
    async load(address, { first, after, chainId, token }) {
      // Movements are read after their coverage: it never claims blocks that were recorded in between.
      await coverages.load(address);
      return sliceLoader({ first, after, chainId, token }, isOnSolana(address)).load(address);
    },
    loadCoverage: (address) => coverages.load(address),
  };
}
