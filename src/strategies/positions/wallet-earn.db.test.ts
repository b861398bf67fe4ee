import { createSampleAction, newCustomer } from '../../../test/actions/sample-action';
import { until } from '../../../test/resilience/until';
import { createTestDatabase, type TestDatabase } from '../../../test/setup/test-database';
import {
  addressOf,
  chains,
  rowOf,
  type ScriptedNodes,
  scriptedNodes,
  scriptedProtocol,
} from '../../../test/strategies/scripted-catalog';
import { describedEarn, scriptedStrategy } from '../../../test/strategies/described-earn';
import { createOperation, executeOperation } from '../../../test/strategies/executed-operation';
import { ONE_DOLLAR, type UsdPrice } from '../../money/usd';
import type { PriceResult } from '../../prices/token-price';
import { createStrategies, type Strategies } from '../catalog/strategies';
import { uniformFees } from '../fees/customer-fees';
import { createLatestMarkets } from '../market/latest-markets';
import type { StrategyHolding } from '../protocols/protocol';
import type { Strategy } from '../strategy';
import { createRangeSizes } from './range-sizes';
import { createStartBlocks } from './start-blocks';
import { decodeEarn, encodeEarn, shownEarn, earnWorth } from './earn-snapshots';
import { type EarnDeps, findInvestmentActions, readWalletEarn, type WalletEarn } from './wallet-earn';

let test: TestDatabase;
const opened: Strategies[] = [];
beforeAll(async () => {
  test = await createTestDatabase();
});
afterEach(() => Promise.all(opened.splice(0).map((each) => each.stop())));
afterAll(() => test.drop());

const EMPTY: StrategyHolding = {
  shares: 0n,
  value: 0n,
  receiptBalance: 0n,
  availableToWithdraw: 0n,
  isAvailableTrusted: true,
  debt: 0n,
};

const priceOf = (usdE24: UsdPrice | undefined): PriceResult =>
  usdE24 === undefined
    ? { missing: 'NO_SOURCE' }
    : {
        price: {
          usdE24,
          source: 's',
          asOf: new Date(0),
          confidenceBps: 10_000,
          kind: 'api',
          flags: [],
          isConfirmed: true,
        },
      };

/** A wallet without deposits in the strategies of scripted nodes. `given`: what the first one states instead. */
function walletOf(nodes: ScriptedNodes, given: Partial<StrategyHolding> | 'unread' = {}, usdE24?: UsdPrice) {
  const log = { warn: jest.fn(), error: jest.fn() };
  const first = given === 'unread' ? undefined : { ...EMPTY, ...given };
  const protocol = {
    ...scriptedProtocol(),
    holding: ({ row }: Strategy) => ({ reads: [], decode: () => (row.id === rowOf(1).id ? first : EMPTY) }),
  };
  const protocols = { erc4626: protocol };
  const times = { retryMs: 5, confirmMs: 5, refusedMs: 10, renewMs: 5 };
  const strategies = createStrategies({ rpc: nodes.rpc, log, chains, rows: [rowOf(1), rowOf(2)], protocols, times });
  opened.push(strategies);
  const deps: EarnDeps = {
    database: test.database,
    pool: test.pool,
    chains,
    rpc: nodes.rpc,
    strategies,
    protocols,
    prices: { read: (tokens) => Promise.resolve(tokens.map(() => priceOf(usdE24))) },
    rangeSizes: createRangeSizes(),
    startBlocks: createStartBlocks({ rpc: nodes.rpc }),
    log,
    markets: createLatestMarkets({ pool: test.pool, log }),
    readFees: () =>
      Promise.resolve(uniformFees({ entryBps: 0, performanceBps: 0, markupBps: 0, collector: undefined, marks: [] })),
    blockedAddresses: new Set(),
  };
  const { signal } = new AbortController();
  const read = (previous?: WalletEarn, customerId = newCustomer()) =>
    readWalletEarn(deps, { customerId, wallet: addressOf(77), signal, previous });
  return { strategies, read };
}

describe('the positions of a wallet', () => {
  it('right after the start are read when the strategies were read', async () => {
    const { strategies, read } = walletOf(scriptedNodes());
    strategies.start();
    expect(await read()).toMatchObject({ errors: [], snapshot: { state: 'fresh' } });
    expect(strategies.all()).toHaveLength(2);
  });

  it('that were withdrawn are empty, and others are none, while rewards cannot be read: neither lacks a value', async () => {
    const { strategies, read } = walletOf(scriptedNodes(), { unreadRewards: [scriptedStrategy(1).receipt] });
    strategies.start();
    await strategies.ready();
    const complete = { errors: [], unavailable: [], summary: { totalUnderlyingBalanceUSD: '0' } };
    const none = await read();
    expect(none).toMatchObject({ ...complete, positions: [], snapshot: { state: 'fresh' } });
    const earn = await read(describedEarn([strategies.all()[0]!], new Date()));
    expect(earn).toMatchObject({ ...complete, snapshot: { state: 'stale', staleReason: 'REWARDS_UNREAD' } });
    const empty = { currentPosition: { value: '0' }, availableToClaim: [], staleReason: 'REWARDS_UNREAD' };
    expect(earn.positions).toMatchObject([{ strategy: { id: 'Vault-1-ethereum' }, spotPosition: empty }]);
    expect([earnWorth(none), earnWorth(earn)]).toMatchObject([
      { usd: 0n, unread: 0 },
      { usd: 0n, unread: 0 },
    ]);
    expect((await read(earn)).positions).toHaveLength(1);
  });

  it('lack the first deposit into a strategy that cannot be read, though its chain was read at a later block', async () => {
    const { strategies, read } = walletOf(scriptedNodes(), 'unread');
    strategies.start();
    await strategies.ready();
    const customerId = newCustomer();
    await executeOperation(test, await createOperation(test, { customerId, assets: 500n }));
    const earn = await read(undefined, customerId);
    expect(earn.blocks[1]).toBeGreaterThanOrEqual(100n);
    expect(earn.unavailable).toEqual(['Vault-1-ethereum']);
    expect(shownEarn(decodeEarn({ strategies }, encodeEarn(earn)).value).snapshot.deltaReason).toBe('UNKNOWN_AMOUNTS');
  });

  it('lack the first deposit into a strategy that its chain suddenly refuses', async () => {
    const nodes = scriptedNodes();
    const { strategies, read } = walletOf(nodes);
    strategies.start();
    await strategies.ready();
    nodes.values.set(addressOf(1), { asset: 'revert' });
    await until('the strategy is refused', () => strategies.all().length === 1);
    const customerId = newCustomer();
    await executeOperation(test, await createOperation(test, { customerId, assets: 500n }));
    const earn = await read(undefined, customerId);
    expect(earn.unavailable).toEqual(['Vault-1-ethereum']);
    expect(shownEarn(earn).snapshot.deltaReason).toBe('UNKNOWN_AMOUNTS');
  });

  it.each<[string, bigint, UsdPrice | undefined, number]>([
    ['are shown for rewards worth a cent', 10_000n, ONE_DOLLAR, 1],
    ['are not shown for rewards worth less', 9999n, ONE_DOLLAR, 0],
    ['are shown for rewards of unknown worth', 1n, undefined, 1],
  ])('that are empty %s, and their history is not read', async (_, ...given) => {
    const [amount, price, shown] = given;
    const nodes = scriptedNodes();
    const rewards = [{ token: scriptedStrategy(1).receipt, amount }];
    const { strategies, read } = walletOf(nodes, { rewards }, price);
    strategies.start();
    await strategies.ready();
    const { positions, snapshot, staleness } = await read();
    expect(positions.map(({ spotPosition: spot }) => [spot.availableToClaim[0]?.value, spot.principal])).toEqual(
      Array.from({ length: shown }, () => [amount.toString(), undefined]),
    );
    expect([snapshot.state, staleness.stalePositions]).toEqual(['fresh', 0]);
  });

  it('while a chain is still being read have an error, and are not said to be none', async () => {
    const nodes = scriptedNodes();
    const silent = { ...nodes.rpc, request: () => new Promise<never>(() => undefined) };
    const { strategies, read } = walletOf({ ...nodes, rpc: silent });
    strategies.start();
    opened.pop();
    expect(await read()).toMatchObject({
      positions: [],
      errors: [{ code: 'LENDING_SERVICE_UNAVAILABLE', message: '2 strategies of ethereum could not be read yet' }],
      snapshot: { state: 'failed' },
      unavailable: ['Vault-1-ethereum', 'Vault-2-ethereum'],
    });
    void strategies.stop();
  });

  it('have an error for a strategy that its chain had and refuses', async () => {
    const nodes = scriptedNodes();
    const { strategies, read } = walletOf(nodes);
    strategies.start();
    await strategies.ready();
    nodes.values.set(addressOf(2), { asset: 'revert' });
    await until('the strategy is refused', () => strategies.all().length === 1);
    expect((await read()).errors).toEqual([
      {
        code: 'LENDING_SERVICE_UNAVAILABLE',
        message:
          'The strategy Vault-2-ethereum could not be read: its contracts do not respond like those of its protocol',
        strategyId: 'Vault-2-ethereum',
      },
    ]);
  });

  it('that were stored outlive a start without their chain, for six hours', async () => {
    const nodes = scriptedNodes();
    nodes.down.add(1);
    const { strategies, read } = walletOf(nodes);
    strategies.start();
    const stored = (ageMs: number) =>
      decodeEarn({ strategies }, encodeEarn(describedEarn([scriptedStrategy(1)], new Date(Date.now() - ageMs)))).value;
    expect((await read(stored(7 * 3_600_000))).unread).toEqual([]);
    const unread = await read(stored(5 * 3_600_000));
    expect(unread).toMatchObject({ positions: [], unread: [{}], errors: [{ code: 'LENDING_SERVICE_UNAVAILABLE' }] });

    nodes.down.clear();
    await until('the strategies are read', () => strategies.all().length === 2);
    nodes.down.add(1);
    const known = await read(unread);
    expect(known.unread).toEqual([]);
    expect(known.positions.map(({ strategy, spotPosition: spot }) => [strategy.id, spot.stale])).toEqual([
      ['Vault-1-ethereum', true],
    ]);

    nodes.down.clear();
    expect(await read(known)).toMatchObject({ positions: [], unread: [], errors: [] });
  });

  it('of a chain that does not respond contain what was executed meanwhile, once, however often they are read', async () => {
    const nodes = scriptedNodes();
    const { strategies, read } = walletOf(nodes);
    strategies.start();
    await strategies.ready();
    nodes.down.add(1);
    const customerId = newCustomer();
    const [known] = strategies.all();
    const shown = (earn: WalletEarn) => {
      const { positions, snapshot } = shownEarn(earn);
      const { deltaApplied, deltaReason, pendingActionCount } = snapshot;
      const values = positions.map(({ spotPosition: spot }) => spot.currentPosition.value);
      return [values, deltaApplied, deltaReason, pendingActionCount];
    };
    let earn = await read(describedEarn([known!], new Date()), customerId);
    expect(shown(earn)).toEqual([['2000'], false, undefined, 0]);
    await executeOperation(test, await createOperation(test, { customerId, assets: 500n }));
    for (let time = 0; time < 3; time += 1) {
      earn = await read(earn, customerId);
      expect(shown(earn)).toEqual([['2500'], true, 'EXECUTED_ACTIONS', 1]);
    }
    await executeOperation(test, await createOperation(test, { customerId, kind: 'WITHDRAW' }));
    earn = await read(earn, customerId);
    expect(shown(earn)).toEqual([['2000'], false, 'UNKNOWN_AMOUNTS', 2]);
    nodes.down.clear();
    // The block of the node contains both.
    expect(shown(await read(earn, customerId))).toEqual([[], false, undefined, 2]);
  });

  it('in a strategy that its chain suddenly refuses are the last known ones', async () => {
    const nodes = scriptedNodes();
    const { strategies, read } = walletOf(nodes);
    strategies.start();
    await strategies.ready();
    const [, second] = strategies.all();
    nodes.values.set(addressOf(2), { asset: 'revert' });
    await until('the strategy is refused', () => strategies.all().length === 1);
    const { positions, errors } = await read(describedEarn([second!], new Date()));
    expect(positions.map(({ spotPosition: spot }) => [spot.stale, spot.staleReason])).toEqual([
      [true, 'CHAIN_UNAVAILABLE'],
    ]);
    expect(errors).toHaveLength(1);
  });
});

describe('the actions of a position', () => {
  const [wallet, strategy] = [addressOf(77), { id: 'Vault-1-ethereum', slug: 'vault-1-ethereum' }];
  const actionsOf = (customerId: ReturnType<typeof newCustomer>, strategyIds = [strategy.id]) =>
    findInvestmentActions({ database: test.database }, { customerId, wallet, strategyIds });

  it('are those of the customer, the wallet and the strategy, without drafts, the newest first', async () => {
    const customerId = newCustomer();
    const own = { customerId, originAddress: wallet, strategy };
    const first = await createSampleAction(test.database, own);
    const second = await createSampleAction(test.database, own);
    const elsewhere = await createSampleAction(test.database, { ...own, strategy: { id: 'Other', slug: 'other' } });
    await createSampleAction(test.database, { ...own, isDraft: true });
    await createSampleAction(test.database, { ...own, originAddress: addressOf(78) });
    await createSampleAction(test.database, { ...own, strategy: undefined });
    await createSampleAction(test.database, { ...own, customerId: newCustomer() });
    expect(await actionsOf(customerId, [strategy.id, 'Other', 'None'])).toEqual(
      new Map([
        [strategy.id, [second.id, first.id]],
        ['Other', [elsewhere.id]],
        ['None', []],
      ]),
    );
  });

  it('are the newest 50 of each strategy', async () => {
    const customerId = newCustomer();
    const ids: string[] = [];
    for (let made = 0; made < 52; made += 1) {
      ids.unshift((await createSampleAction(test.database, { customerId, originAddress: wallet, strategy })).id);
    }
    expect((await actionsOf(customerId)).get(strategy.id)).toEqual(ids.slice(0, 50));
  });
});
