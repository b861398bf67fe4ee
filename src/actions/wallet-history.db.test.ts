import * as fc from 'fast-check';
import { newCustomer } from '../../test/actions/sample-action';
import { plainHistory } from '../../test/actions/plain-history';
import { type RecordedStatement, recordStatements } from '../../test/resilience/query-plans';
import { createTestDatabase, emptyDatabase, type TestDatabase } from '../../test/setup/test-database';
import { createChainTable } from '../chains/chain-table';
import { KNOWN_CHAINS } from '../chains/known-chains';
import { changeStatus, changeSubstatus } from './state/change-status';
import { TRANSITIONS, type TransitionName } from './state/status-transitions';
import { connectActionsOfWallets } from './action-connection';
import { foldActionCounts } from './history/fold-action-counts';
import { recountActions } from './history/recount-actions';
import { listActionsOfWallets } from './list-actions';
import { readSlices } from './read-history';
import { ACTION_SORT_FIELDS, type HistoryFilter } from './wallet-history';

const WALLETS = ['0x00000000000000000000000000000000000A11cE', '0x0000000000000000000000000000000000000B0b'] as const;
const CUSTOMERS = [newCustomer(), newCustomer()] as const;
const TYPES = ['SAMECHAIN_SWAP', 'TRANSFER_OUT', 'ON_RAMP_FIAT'] as const;
const STATUSES = ['INITIAL', 'PENDING', 'FAILED', 'REFUNDED', 'SUCCESS'] as const;
const TRANSITION_NAMES = Object.keys(TRANSITIONS) as TransitionName[];

let test: TestDatabase;
let recorded: RecordedStatement[];
beforeAll(async () => {
  test = await createTestDatabase();
  recorded = recordStatements(test.pool);
});
afterAll(() => test.drop());

const deps = () => ({ database: test.database, chains: createChainTable(KNOWN_CHAINS) });
const never = new AbortController().signal;

/** Inserts an action as a statement of the service may: two times of creation, so that ids decide the order of many. */
const insertAction = async ({ number, customer, sides, type, isDraft, second }: Creation): Promise<void> => {
  await test.pool.query(
    `INSERT INTO "Action" (id, "customerId", type, "isDraft", "originAddress", "receiverAddress", "chainIdIn", "chainIdOut",
                           "tokenIn", "tokenOut", "amountIn", "amountOut", "minAmountOut", fees, "expiresAt", "createdAt")
     VALUES ($1, $2, $3, $4, $5, $6, 8453, 8453, $7, $7, 1, 1, 1, '{"total":"0","currency":"USD","breakdown":[]}', now(),
             to_timestamp($8))`,
    [
      idOf(number),
      CUSTOMERS[customer],
      type,
      isDraft,
      WALLETS[sides[0]],
      WALLETS[sides[1]],
      { chainId: 8453, address: '0x', symbol: 'T', name: 'T', decimals: 6 },
      second,
    ],
  );
};

const idOf = (number: number): string => `0197a3c0-0000-7000-8000-${number.toString(16).padStart(12, '0')}`;

interface Creation {
  readonly number: number;
  readonly customer: 0 | 1;
  readonly sides: readonly [0 | 1, 0 | 1];
  readonly type: (typeof TYPES)[number];
  readonly isDraft: boolean;
  readonly second: number;
}

type Change =
  | { readonly kind: 'transition'; readonly action: number; readonly transition: TransitionName }
  | { readonly kind: 'substatus' | 'execute' | 'remove' | 'move' | 'end'; readonly action: number }
  | { readonly kind: 'fold' };

const side = fc.constantFrom(0 as const, 1 as const);
const creations = fc
  .array(
    fc.record({
      customer: side,
      sides: fc.tuple(side, side),
      type: fc.constantFrom(...TYPES),
      isDraft: fc.boolean(),
      second: fc.integer({ min: 1, max: 3 }),
    }),
    { minLength: 1, maxLength: 25 },
  )
  .map((records) => records.map((record, number): Creation => ({ ...record, number })));
const change: fc.Arbitrary<Change> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('transition' as const),
      action: fc.nat(24),
      transition: fc.constantFrom(...TRANSITION_NAMES),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        'substatus' as const,
        'execute' as const,
        'remove' as const,
        'move' as const,
        'end' as const,
      ),
      action: fc.nat(24),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('fold' as const) }) },
);

const remove = async (id: string): Promise<void> => {
  await test.pool.query('DELETE FROM "ActionEvent" WHERE "actionId" = $1', [id]);
  await test.pool.query('DELETE FROM "Action" WHERE id = $1', [id]);
};

async function apply(given: Change): Promise<void> {
  if (given.kind === 'fold') return foldActionCounts({ pool: test.pool, batchSize: 7 }, never);
  const id = idOf(given.action);
  switch (given.kind) {
    case 'transition':
      await test.database.$transaction((tx) => changeStatus(tx, id, { transition: given.transition }));
      return;
    case 'substatus':
      await test.database.$transaction((tx) => changeSubstatus(tx, id, { substatus: 'WAITING_CONFIRMATIONS' }));
      return;
    case 'execute':
      await test.database.action.updateMany({ where: { id }, data: { isDraft: false } });
      return;
    case 'move':
      await test.database.action.updateMany({ where: { id }, data: { receiverAddress: WALLETS[1] } });
      return;
    case 'end':
      await test.database.action.updateMany({ where: { id }, data: { finishedAt: new Date(5000) } });
      return;
    case 'remove':
      await remove(id);
  }
}

const filters: readonly HistoryFilter[] = ACTION_SORT_FIELDS.flatMap((sortBy) =>
  (['asc', 'desc'] as const).map((sortOrder) => ({ sortBy, sortOrder })),
);
const filter: fc.Arbitrary<HistoryFilter> = fc
  .record({
    sorted: fc.constantFrom(...filters),
    status: fc.constantFrom(undefined, ...STATUSES),
    type: fc.constantFrom(undefined, ...TYPES),
  })
  .map(({ sorted, status, type }) => ({ ...sorted, status, type }));

const keysOf = () => CUSTOMERS.flatMap((customerId) => WALLETS.map((wallet) => ({ customerId, wallet })));

async function expectPlainPages(selected: HistoryFilter, limit: number): Promise<void> {
  for (const customerId of CUSTOMERS) {
    for (const page of [1, 2, 3, 100]) {
      const filtered = { ...selected, limit, page };
      const lists = await listActionsOfWallets(deps(), { customerId, walletAddresses: WALLETS, filter: filtered });
      for (const [index, wallet] of WALLETS.entries()) {
        const all = await plainHistory(test.pool, { customerId, wallet, filter: selected });
        expect(lists[index]!.data.map(({ id }) => id)).toEqual(all.slice((page - 1) * limit, page * limit));
        expect(lists[index]!.pagination.total).toBe(all.length);
      }
    }
  }
}

async function expectPlainSlices(selected: HistoryFilter, limit: number): Promise<void> {
  for (const { customerId, wallet } of keysOf()) {
    const all = await plainHistory(test.pool, { customerId, wallet, filter: selected });
    const query = { customerId, walletAddresses: [wallet], filter: selected };
    for (const offset of [0, limit, all.length - limit, all.length + 3]) {
      for (const fromEnd of 2 * offset < all.length ? [false] : [false, true]) {
        const slice = { limit, offset: BigInt(Math.max(0, offset)), fromEnd };
        const [history] = await readSlices(test.database, query, slice);
        expect(history!.rows.map(({ id }) => id)).toEqual(all.slice(Math.max(0, offset), Math.max(0, offset) + limit));
      }
    }
    const read: string[] = [];
    for (let after: string | null | undefined; after !== null;) {
      const filtered = { ...selected, first: limit, after };
      const [slice] = await connectActionsOfWallets(deps(), {
        customerId,
        walletAddresses: [wallet],
        filter: filtered,
      });
      expect(slice!.totalCount).toBe(all.length);
      expect(slice!.nodes.length).toBeLessThanOrEqual(limit);
      read.push(...slice!.nodes.map(({ id }) => id));
      after = slice!.pageInfo.hasNextPage ? slice!.pageInfo.endCursor : null;
    }
    expect(read).toEqual(all);
  }
}

describe('the history of a wallet', () => {
  it('is the one that plain SQL selects and sorts, whatever happened to the actions', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          created: creations,
          changes: fc.array(change, { maxLength: 40 }),
          selections: fc.array(filter, { minLength: 2, maxLength: 2 }),
          limit: fc.integer({ min: 1, max: 6 }),
        }),
        async ({ created, changes, selections, limit }) => {
          await emptyDatabase(test);
          for (const creation of created) await insertAction(creation);
          for (const each of changes) await apply(each);
          for (const selected of selections) {
            await expectPlainPages(selected, limit);
            await expectPlainSlices(selected, limit);
          }
          const warn = jest.fn();
          await recountActions({ database: test.database, log: { warn } }, never);
          expect(warn).not.toHaveBeenCalled();
        },
      ),
      { numRuns: 10 },
    );
  });
});

it('lists the open actions of a wallet by one statement, however many types they have, and whether there are drafts', async () => {
  await emptyDatabase(test);
  for (const [number, type] of [...TYPES, ...TYPES].entries())
    await insertAction({ number, customer: 0, sides: [0, 0], type, isDraft: number >= TYPES.length, second: number });
  recorded.length = 0;
  const query = { customerId: CUSTOMERS[0], walletAddresses: [WALLETS[0]], filter: { status: 'INITIAL' } } as const;
  const [history] = await readSlices(test.database, query, { limit: 4, offset: 1n, fromEnd: false });
  expect(history).toMatchObject({ total: 6, rows: [4, 3, 2, 1].map((number) => ({ id: idOf(number) })) });
  expect(recorded.filter(({ text }) => text.includes('counted'))).toHaveLength(1);
});

it('merges the open actions of a slice far from the start, instead of reading each kind up to its end', async () => {
  recorded.length = 0;
  const query = { customerId: CUSTOMERS[0], walletAddresses: [WALLETS[0]], filter: { status: 'INITIAL' } } as const;
  for (const offset of [100n, 101n]) await readSlices(test.database, query, { limit: 100, offset, fromEnd: false });
  const statements = recorded.filter(({ text }) => text.includes('counted'));
  expect(statements.map(({ text }) => text.includes('unnest(counted.statuses'))).toEqual([true, false]);
});
