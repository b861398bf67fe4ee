import { listActions, type ActionFilter } from '../../src/actions/list-actions';
import type { CustomerId } from '../../src/auth/principal';
import { createChainTable } from '../../src/chains/chain-table';
import { KNOWN_CHAINS } from '../../src/chains/known-chains';
import type { Database } from '../../src/persistence/database';
import { type BenchWallet, CUSTOMER, LARGE, OLD_TYPE, SMALL } from './fill';
import { fastest } from './fastest';

/** A page of both wallets: milliseconds of the fastest run. */
export interface MeasuredPage {
  readonly title: string;
  readonly page: string;
  readonly smallMs: number;
  readonly largeMs: number;
}

const RUNS = 20;
const LIMIT = 20;

type Filter = Pick<ActionFilter, 'status' | 'type' | 'sortBy' | 'sortOrder'>;

const FILTERS: readonly Filter[] = [
  {},
  { status: 'SUCCESS' },
  { status: 'INITIAL' },
  { type: 'SAMECHAIN_SWAP' },
  { type: OLD_TYPE },
  { type: 'TRANSFER_OUT', status: 'FAILED' },
];
const SORTS: readonly Filter[] = (['createdAt', 'updatedAt', 'finishedAt'] as const).flatMap((sortBy) =>
  (['desc', 'asc'] as const).map((sortOrder) => ({ sortBy, sortOrder })),
);

/** Measures the first, the 50th and the last full page of the lists of both wallets: from the call to the action as callers see it. */
export async function measureLists(database: Database): Promise<readonly MeasuredPage[]> {
  const measured: MeasuredPage[] = [];
  for (const filter of FILTERS) {
    for (const sort of SORTS) {
      const selected = { ...filter, ...sort };
      const [small, large] = [await lastPage(database, SMALL, selected), await lastPage(database, LARGE, selected)];
      const middle = small > 50 ? [{ page: '50', pages: [50, 50] as const }] : [];
      for (const { page, pages } of [
        { page: '1', pages: [1, 1] as const },
        ...middle,
        { page: 'last', pages: [small, large] as const },
      ]) {
        measured.push({ title: titleOf(selected), page, ...(await measurePage(database, selected, pages)) });
      }
    }
  }
  return measured;
}

const titleOf = ({ status, type, sortBy, sortOrder }: Filter): string =>
  `${[status, type].filter((part) => part !== undefined).join(' ') || 'all'}, ${sortBy ?? ''} ${sortOrder ?? ''}`;

const read = (database: Database, { address }: BenchWallet, filter: ActionFilter) =>
  listActions(
    { database, chains, blockedAddresses: new Set() },
    { customerId: CUSTOMER as CustomerId, walletAddress: address, limit: LIMIT, ...filter },
  );

const chains = createChainTable(KNOWN_CHAINS);

/** The last full page: the time of a page depends on its number of actions. */
async function lastPage(database: Database, wallet: BenchWallet, filter: Filter): Promise<number> {
  const { pagination } = await read(database, wallet, filter);
  return Math.floor(pagination.total / LIMIT);
}

/** The wallets take turns, so that other load of the machine slows both. */
async function measurePage(
  database: Database,
  filter: Filter,
  [smallPage, largePage]: readonly [number, number],
): Promise<Pick<MeasuredPage, 'smallMs' | 'largeMs'>> {
  const times: { readonly small: number[]; readonly large: number[] } = { small: [], large: [] };
  for (let run = -2; run < RUNS; run += 1) {
    const small = await timeOf(() => read(database, SMALL, { ...filter, page: smallPage }));
    const large = await timeOf(() => read(database, LARGE, { ...filter, page: largePage }));
    if (run < 0) continue; // warms caches up
    times.small.push(small);
    times.large.push(large);
  }
  return { smallMs: fastest(times.small), largeMs: fastest(times.large) };
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}
