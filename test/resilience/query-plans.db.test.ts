import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { foldActionCounts } from '../../src/actions/history/fold-action-counts';
import { findActionRow } from '../../src/actions/get-action';
import { claimDueDeliveries } from '../../src/actions/delivery/claim-deliveries';
import { readTransferAction } from '../../src/actions/delivery/transfer-action';
import { sharedWith } from '../../src/actions/amounts/share-of-delivery';
import { expireActions } from '../../src/actions/state/expire-actions';
import { recordExecution } from '../../src/actions/state/record-execution';
import { changeStatus } from '../../src/actions/state/change-status';
import { takeUsage } from '../../src/actions/state/customer-usage';
import { findOpenCall, openKinds, sendersWithOpenCalls } from '../../src/actions/tracker/open-calls';
import { openWork } from '../../src/actions/tracker/open-work';
import { lateReferences } from '../../src/actions/tracker/solana/late-references';
import { openReferences } from '../../src/actions/tracker/solana/open-references';
import { submittedSteps } from '../../src/actions/tracker/submitted-steps';
import type { CustomerId } from '../../src/auth/principal';
import { createIdempotencyStore } from '../../src/auth/idempotency/idempotency-store';
import { createWindowCounter } from '../../src/auth/rate-limit/window-counter';
import { createChainTable } from '../../src/chains/chain-table';
import { sumGasSpending } from '../../src/persistence/gas-report';
import { createPersonalDataVault } from '../../src/persistence/personal-data';
import { removeExpired } from '../../src/persistence/retention/remove-expired';
import { findWallets, listWallets } from '../../src/portfolio/wallets';
import { releaseSponsoredGas } from '../../src/transactions/execution/user-operation/release-sponsored-gas';
import { claimQuote } from '../../src/transactions/claim-quote';
import { createSampleAction, someCalldata } from '../actions/sample-action';
import { someChain, someHash } from '../actions/sample-transfer';
import { gasBudgets, serviceTransactionStore } from '../setup/gas';
import { OPEN_LIMITS } from '../setup/open-limits';
import { RETENTION } from '../setup/retention-settings';
import { createTestDatabase, type TestDatabase } from '../setup/test-database';
import { nonceChains } from '../smart-accounts/nonce-chains';
import {
  BUSY_WALLET,
  CHAIN_IN,
  CHAIN_OUT,
  CUSTOMER as ID_OF_CUSTOMER,
  growDatabase,
  idOf,
  PROVIDER,
  QUIET_WALLET,
} from './grown-database';
import { historyPaths, listHistory } from './history-paths';
import { type PlanNode, problemOf, readPlan, type RecordedStatement, recordStatements } from './query-plans';
import { rampPaths } from './ramp-paths';
import { REQUEST_PATHS, withRowLevelSecurity } from './row-level-security';
import { addUnknownRows, IDENTICAL } from './unknown-rows';

const CUSTOMER = ID_OF_CUSTOMER as CustomerId;
const vault = createPersonalDataVault({ keys: [{ version: 1, key: randomBytes(32) }], indexKey: randomBytes(32) });
const chains = createChainTable([someChain(CHAIN_IN), someChain(CHAIN_OUT)]);
const log = { info: () => undefined, warn: () => undefined };
/** An action whose origin is mined, one that waits for its origin, and one that has ended; see `growDatabase`. */
const [PENDING, WAITING, DONE] = [idOf(601), idOf(600), idOf(610)];

let test: TestDatabase;
let explaining: Client;
let recorded: RecordedStatement[];
beforeAll(async () => {
  test = await createTestDatabase();
  await growDatabase(test.pool);
  await addUnknownRows(test.pool);
  recorded = recordStatements(test.pool);
  explaining = new Client({ connectionString: test.url });
  await explaining.connect();
});
afterAll(async () => {
  await explaining.end();
  await test.drop();
});

interface ReadStatement {
  readonly statement: RecordedStatement;
  readonly nodes: readonly PlanNode[];
}

/** The statements that a piece of work sends to the database, with their plans. */
async function statementsOf(work: () => Promise<unknown>): Promise<readonly ReadStatement[]> {
  recorded.length = 0;
  await work();
  const statements = [...recorded];
  expect(statements.length).toBeGreaterThan(0);
  const read: ReadStatement[] = [];
  for (const statement of statements) read.push({ statement, nodes: await readPlan(explaining, statement) });
  return read;
}

const plansOf = async (work: () => Promise<unknown>): Promise<readonly PlanNode[]> =>
  (await statementsOf(work)).flatMap(({ nodes }) => nodes);

async function problemsOf(work: () => Promise<unknown>): Promise<readonly string[]> {
  const statements = await statementsOf(work);
  return statements.flatMap(({ statement, nodes }) =>
    nodes.flatMap((node) => {
      const problem = problemOf(node);
      return problem === undefined ? [] : [`${problem}: ${statement.text.replaceAll(/\s+/g, ' ').slice(0, 300)}`];
    }),
  );
}

const busyList = (page = 1) => listHistory(test.database, BUSY_WALLET, { page });
const block = { number: 1n, hash: someHash(), timestamp: 1n };
const query = <Result>(run: (database: TestDatabase['database']) => Promise<Result>) => run(test.database);
const HOT_PATHS: Readonly<Record<string, () => Promise<unknown>>> = {
  ...historyPaths(() => test.database),
  'an action by its id, or by the id of its quote': () =>
    query(async (database) => {
      await findActionRow({ database }, { customerId: CUSTOMER, actionId: DONE });
      await findActionRow({ database }, { customerId: CUSTOMER, actionId: DONE, orQuote: true });
    }),
  'the start of an action': () =>
    createSampleAction(test.database, {
      calls: [{ sender: BUSY_WALLET, target: QUIET_WALLET, data: someCalldata() }],
    }),
  'the claim of a quote': () =>
    query((database) =>
      database
        .$transaction((tx) =>
          claimQuote(tx, {
            quoteId: idOf(9),
            customerId: CUSTOMER,
            bytecodeHash: randomBytes(32),
            webhookUrl: undefined,
          }),
        )
        .catch(() => undefined),
    ),
  'the expiry of actions': () => expireActions({ database: test.database, cancellableProviders: ['provider-1'] }),
  'the open calls of the senders of a block': () =>
    query(async (database) => {
      const form = 'CALL';
      const senders = [QUIET_WALLET, QUIET_WALLET.toLowerCase()];
      await sendersWithOpenCalls(database, { chainId: CHAIN_IN, form, senders });
      const keys = senders.map(
        (sender) => ({ form, sender, target: QUIET_WALLET, value: '0', dataHash: randomBytes(32) }) as const,
      );
      await openKinds(database, CHAIN_IN, keys);
      for (const key of keys) await findOpenCall(database, CHAIN_IN, { key, reverted: false });
    }),
  'the open user operations of senders': () =>
    query(async (database) => {
      const form = 'USER_OPERATION';
      await database.actionCall.findFirst({ where: { chainId: CHAIN_IN, open: true, form }, select: { id: true } });
      await sendersWithOpenCalls(database, { chainId: CHAIN_IN, form, senders: [QUIET_WALLET] });
    }),
  'a transaction that is identical to the calls of thousands of actions': () =>
    query(async (database) => {
      const key = { ...IDENTICAL, nonce: 5n };
      expect(await openKinds(database, CHAIN_IN, [key])).toEqual([{ approval: false, other: true }]);
      expect(await findOpenCall(database, CHAIN_IN, { key, reverted: false })).toBe('ambiguous');
    }),
  'what a chain is read for': () =>
    query(async (database) => {
      expect([await openWork(database, CHAIN_IN), await openWork(database, CHAIN_OUT)]).toEqual(['open', 'late']);
    }),
  'the references that a Solana chain is searched for': () =>
    query(async (database) => {
      await openReferences({ database, log }, CHAIN_IN);
      await lateReferences({ database, log }, CHAIN_OUT);
    }),
  'the transactions that wait for their finality': () =>
    query((database) => submittedSteps({ database, log }, CHAIN_IN, { notAfter: 1_000_000n })),
  'the execution of a step, and the end of an action': () =>
    query((database) =>
      database.$transaction(async (tx) => {
        const execution = { actionId: WAITING, stepIndex: 0, chainId: CHAIN_IN, txHash: someHash(), block };
        await recordExecution(tx, execution);
        await changeStatus(tx, PENDING, { transition: 'completed' });
        await sharedWith(tx, {
          actionId: WAITING,
          chainId: CHAIN_IN,
          txHash: execution.txHash,
          action: { receiverAddress: QUIET_WALLET, tokenOut: 'out', amountOut: 1n },
        });
      }),
    ),
  'the claim of due deliveries': () =>
    query(async (database) => {
      await claimDueDeliveries({ database }, PROVIDER, 8);
      await claimDueDeliveries({ database }, 'a provider without deliveries', 8);
      await readTransferAction(database, PENDING).catch(() => undefined);
    }),
  ...rampPaths(() => test, vault),
  'the wallets of a customer': () =>
    query(async (database) => {
      await findWallets({ database }, { customerId: CUSTOMER, addresses: [QUIET_WALLET, BUSY_WALLET] });
      await database.customerWallet.findMany({
        where: { customerId: CUSTOMER },
        orderBy: [{ createdAt: 'desc' }, { address: 'asc' }],
        take: 20,
      });
    }),
  'the transactions of the service': () =>
    query(async (database) => {
      const store = serviceTransactionStore(database);
      const sender = `0x${'1'.padStart(40, '0')}`;
      const own = { customerId: CUSTOMER, actionId: DONE, purpose: 'completion', chainId: 31338, sender };
      await store.attempts(own);
      await store.from(own, 19_000n);
      const gas = { kind: 'completion', cost: { wei: 1n, microUsd: 1n } } as const;
      await store.allocate({ ...own, from: 19_999n, attemptsRead: 0, gas }, () =>
        Promise.resolve({ txHash: someHash(), raw: '0x00' }),
      );
    }),
  'the budget for gas': () =>
    query(async (database) => {
      const budgets = gasBudgets({ sponsoredGasUsd: 1 });
      const cost = { wei: 1n, microUsd: 10n ** 9n };
      const ids = { id: DONE, customerId: CUSTOMER, actionId: DONE, chainId: CHAIN_IN };
      const operation = { sender: `0x${'1'.padStart(40, '0')}`, nonceKey: 1n, validUntil: new Date() };
      const gas = { ...ids, kind: 'sponsored', cost, operation } as const;
      expect(await database.$transaction((tx) => budgets.take(tx, gas))).toMatchObject({ taken: false });
      await database.$transaction((tx) => budgets.raise(tx, WAITING, cost));
    }),
  'the release of sponsored gas': () =>
    query((database) => {
      const log = { warn: jest.fn() };
      return releaseSponsoredGas({ database, rpc: nonceChains(), chains, log }, new AbortController().signal);
    }),
  'what was spent on gas today': () => query((database) => sumGasSpending(database, { days: 1 })),
  'the response of an idempotent request': async () => {
    const store = createIdempotencyStore({ pool: test.pool, lockSeconds: 60, pepper: 'ab'.repeat(32), sealer: vault });
    const request = { customerId: CUSTOMER, key: 'key-x', requestHash: randomBytes(32) };
    const begun = await store.begin(request);
    await store.begin(request);
    if (begun.outcome === 'started') await store.complete(begun.claimed, { status: 200, headers: {}, body: '{}' });
  },
  'the removal of expired rows': () =>
    removeExpired(
      { pool: test.pool, settings: RETENTION, batchSize: 100, maxBatches: 2 },
      new AbortController().signal,
    ),
  'a count of the rate limit': () =>
    createWindowCounter({ pool: test.pool, name: 'minute', seconds: 60 }).consume('key-5', 10, 1),
};

it.each(Object.entries(HOT_PATHS))('reads no table and no index to its end for: %s', async (_, work) => {
  expect(await problemsOf(work)).toEqual([]);
});

it('counts the wallets of a customer by an index', async () => {
  expect(await problemsOf(() => listWallets({ database: test.database }, { customerId: CUSTOMER }))).toEqual([]);
});

it('sorts the actions of a page, and not those of its wallet', async () => {
  await foldActionCounts(test, new AbortController().signal);
  const nodes = await plansOf(() => busyList());
  const sorted = nodes.filter((node) => node['Node Type'].endsWith('Sort')).flatMap(({ Plans = [] }) => Plans);
  expect(Math.max(...sorted.map((input) => input['Actual Rows']))).toBeLessThanOrEqual(40);
});

it('reads the entries of a page from the nearer end, and not those of its wallet', async () => {
  const { pagination } = await busyList();
  const nodes = await plansOf(() => busyList(pagination.totalPages));
  const read = nodes.filter((node) => node['Relation Name'] === 'ActionParty').map((node) => node['Actual Rows']);
  expect([read.length > 0, Math.max(...read) <= 20]).toEqual([true, true]);
});

it('lists actions by the same indexes under row-level security: no condition of theirs is by an enum', async () => {
  recorded.length = 0;
  await busyList();
  await listHistory(test.database, BUSY_WALLET, { status: 'INITIAL' });
  await HOT_PATHS['a page in every sort, of all actions and of one type']!();
  await HOT_PATHS['the actions of wallets behind a cursor']!();
  const statements = [...recorded];
  const readIndexes = async (): Promise<readonly (readonly string[])[]> => {
    const used: (readonly string[])[] = [];
    for (const statement of statements) {
      const nodes = await readPlan(explaining, statement);
      expect(nodes.flatMap((node) => problemOf(node) ?? [])).toEqual([]);
      used.push(nodes.flatMap((node) => node['Index Name'] ?? []).toSorted());
    }
    return used;
  };
  const usual = await readIndexes();
  expect(usual.flat()).toEqual(expect.arrayContaining(['ActionParty_of_kind_by_creation_idx']));
  await withRowLevelSecurity(explaining, CUSTOMER, async () => {
    expect(await readIndexes()).toEqual(usual);
  });
});

it.each(REQUEST_PATHS)('reads no table and no index to its end under row-level security for: %s', async (path) => {
  recorded.length = 0;
  await HOT_PATHS[path]!();
  await withRowLevelSecurity(explaining, CUSTOMER, async () => {
    for (const each of [...recorded])
      expect((await readPlan(explaining, each)).flatMap((node) => problemOf(node) ?? [])).toEqual([]);
  });
});

it('counts the open actions of a customer by an index under row-level security', async () => {
  recorded.length = 0;
  const usage = { customerId: CUSTOMER, resource: 'openActions', limits: OPEN_LIMITS } as const;
  await test.database.$transaction((tx) => takeUsage(tx, usage));
  const count = recorded.find(({ text }) => text.includes("status IN ('INITIAL', 'PENDING')"))!;
  await withRowLevelSecurity(explaining, CUSTOMER, async () =>
    expect((await readPlan(explaining, count)).map((node) => node['Index Name'])).toContain('Action_open_idx'),
  );
});
