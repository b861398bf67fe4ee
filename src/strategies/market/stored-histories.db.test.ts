import { createTestDatabase, emptyDatabase, type TestDatabase } from '../../../test/setup/test-database';
import {
  addressOf,
  chains,
  ethereum,
  rowOf,
  scriptedNodes,
  scriptedProtocol,
} from '../../../test/strategies/scripted-catalog';
import { marketKey } from '../catalog/merge-rows';
import { createStrategies } from '../catalog/strategies';
import type { StrategyRow } from '../strategy-row';
import { readMarkets } from './market-store';
import { refreshMarkets } from './refresh-markets';

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterEach(() => emptyDatabase(test));
afterAll(() => test.drop());

const { signal } = new AbortController();
const HOUR = 3600;

/** A deployment with these rows, whose nodes have some values and a time in Unix seconds. */
async function deployment(rows: readonly StrategyRow[]) {
  const nodes = scriptedNodes();
  const log = { warn: jest.fn() };
  const protocols = { erc4626: scriptedProtocol() };
  const strategies = createStrategies({ rpc: nodes.rpc, log, chains, rows, protocols });
  strategies.start();
  await strategies.firstPass(1);
  await strategies.stop();
  const prices = {
    read: (tokens: readonly unknown[]) => Promise.resolve(tokens.map(() => ({ missing: 'NO_SOURCE' as const }))),
  };
  const deps = { rpc: nodes.rpc, pool: test.pool, log, strategies, protocols, prices };
  return {
    nodes,
    log,
    refreshAt: async (seconds: number) => {
      nodes.time = seconds;
      await refreshMarkets(deps, ethereum, signal);
    },
  };
}

const samplesOf = async (strategyId: string) =>
  (await test.database.strategySample.findMany({ where: { strategyId }, orderBy: { bucket: 'asc' } })).map(
    ({ at }) => at.getTime() / 1000,
  );
const stored = async (id: string) => (await readMarkets(test, [id])).get(id);
const now = Math.floor(Date.now() / 1000);

describe('a row of the catalog whose id was edited', () => {
  it('keeps the values and samples of its market, which other markets do not get', async () => {
    const times = [now - 3 * HOUR, now - 2 * HOUR];
    const before = await deployment([rowOf(1), rowOf(2)]);
    for (const time of times) await before.refreshAt(time);
    const { first } = (await stored('vault-1-ethereum'))!;
    const after = await deployment([rowOf(1, { id: 'Renamed-1-ethereum' }), rowOf(2), rowOf(3)]);
    await after.refreshAt(now - HOUR);
    expect(await samplesOf('renamed-1-ethereum')).toEqual([...times, now - HOUR]);
    const renamed = (await stored('renamed-1-ethereum'))!;
    expect(renamed.first).toEqual(first);
    expect(renamed.base).toMatchObject({ at: first.at, tvl: expect.any(BigInt) as bigint });
    expect([await samplesOf('vault-1-ethereum'), await stored('vault-1-ethereum')]).toEqual([[], undefined]);
    expect(await samplesOf('vault-2-ethereum')).toHaveLength(3);
    expect(await samplesOf('vault-3-ethereum')).toEqual([now - HOUR]);
  });

  it('finds those of an earlier version, which lack the market, by an alias alone', async () => {
    const before = await deployment([rowOf(1)]);
    await before.refreshAt(now - 2 * HOUR);
    await test.database.strategyState.updateMany({ data: { market: null } });
    const unnamed = await deployment([rowOf(1, { id: 'Other-1-ethereum' })]);
    await unnamed.refreshAt(now - HOUR);
    expect(await samplesOf('other-1-ethereum')).toEqual([now - HOUR]);
    const named = await deployment([rowOf(1, { id: 'Renamed-1-ethereum', aliases: ['Vault-1-ethereum'] })]);
    await test.database.strategyState.deleteMany({ where: { strategyId: 'other-1-ethereum' } });
    await named.refreshAt(now - HOUR);
    expect(await samplesOf('renamed-1-ethereum')).toEqual([now - 2 * HOUR, now - HOUR]);
  });

  it('takes nothing from a strategy that the catalog still has', async () => {
    const before = await deployment([rowOf(1)]);
    await before.refreshAt(now - 2 * HOUR);
    await test.database.strategyState.updateMany({ data: { market: marketKey(rowOf(2)) } });
    const after = await deployment([rowOf(1), rowOf(2)]);
    await after.refreshAt(now - HOUR);
    expect(await samplesOf('vault-1-ethereum')).toEqual([now - 2 * HOUR, now - HOUR]);
    expect(await samplesOf('vault-2-ethereum')).toEqual([now - HOUR]);
  });
});

describe('a block in the future', () => {
  it('stops no update of a market: the next block of the present replaces its values and samples', async () => {
    const { refreshAt, nodes, log } = await deployment([rowOf(1)]);
    await refreshAt(now - HOUR);
    nodes.values.set(addressOf(1), { deposits: 10n ** 12n + 5n });
    await refreshAt(now + 90 * HOUR);
    expect((await stored('vault-1-ethereum'))!.observation.tvl).toBe(10n ** 12n + 5n);
    nodes.values.set(addressOf(1), { deposits: 10n ** 12n + 7n });
    await refreshAt(now - 300);
    const { observation, rateSeconds } = (await stored('vault-1-ethereum'))!;
    expect([observation.at.getTime() / 1000, observation.tvl]).toEqual([now - 300, 10n ** 12n + 7n]);
    expect(rateSeconds).toBeGreaterThanOrEqual(0n);
    expect((await samplesOf('vault-1-ethereum')).filter((at) => at > now)).toEqual([]);
    expect(log.warn).toHaveBeenCalledTimes(1);
  });

  it('is no first observation either once a block of the present was read', async () => {
    const { refreshAt } = await deployment([rowOf(1)]);
    await refreshAt(now + 90 * HOUR);
    await refreshAt(now - 300);
    expect((await stored('vault-1-ethereum'))!.first.at.getTime() / 1000).toBe(now - 300);
  });

  it('is followed by the next ones of a chain whose time was set forward', async () => {
    const { refreshAt } = await deployment([rowOf(1)]);
    await refreshAt(now + 90 * HOUR);
    await refreshAt(now + 91 * HOUR);
    await refreshAt(now + 90 * HOUR + 10);
    expect((await stored('vault-1-ethereum'))!.observation.at.getTime() / 1000).toBe(now + 91 * HOUR);
  });
});
