import DataLoader from 'dataloader';
import type { CustomerId } from '../../src/auth/principal';
import { type CoverageDeps, listCoverage, type MovementCoverage } from '../../src/ledger/coverage';
import {
  findRefusals,
  listMovements,
  type MovementConnection,
  type MovementDeps,
  type MovementFilter,
} from '../../src/ledger/list-movements';

/** Loads movements of wallets for one request: one query for all wallets that need the same slice. */
export interface MovementsLoader {
  /** @throws RATE_LIMIT_EXCEEDED for a wallet above the limit of the customer */
  load(address: string, filter: MovementFilter): Promise<MovementConnection>;
  loadCoverage(address: string): Promise<readonly MovementCoverage[]>;
}

export function createMovementsLoader(deps: MovementDeps & CoverageDeps, customerId: CustomerId): MovementsLoader {
  const slices = new Map<string, DataLoader<string, MovementConnection>>();
  const sliceLoader = (filter: MovementFilter): DataLoader<string, MovementConnection> => {
    const key = JSON.stringify(filter);
    const loader =
      slices.get(key) ??
      new DataLoader<string, MovementConnection>(async (addresses) => {
        const [refusals, slicesOfWallets] = await Promise.all([
          findRefusals(deps, { customerId, addresses }),
          listMovements(deps, { customerId, addresses, filter }),
        ]);
        return slicesOfWallets.map((slice, index) => refusals.get(addresses[index] ?? '') ?? slice);
      });
    slices.set(key, loader);
    return loader;
  };
  const coverages = new DataLoader((addresses: readonly string[]) => listCoverage(deps, { customerId, addresses }));
  return {
    load: (address, { first, after, chainId, token }) => sliceLoader({ first, after, chainId, token }).load(address),
    loadCoverage: (address) => coverages.load(address),
  };
}
