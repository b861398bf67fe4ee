import { createTestDatabase, emptyDatabase, type TestDatabase } from '../../../test/setup/test-database';
import { observed } from '../../../test/prices/observation';
import {
  addressOf,
  chains,
  ethereum,
  RAY,
  rowOf,
  scriptedNodes,
  scriptedProtocol,
} from '../../../test/strategies/scripted-catalog';
import type { TokenPriceReader } from '../../prices/token-price';
import { createStrategies } from '../catalog/strategies';
import type { MarketState, ProtocolRead, Resolution } from '../protocols/protocol';
import type { Strategy } from '../strategy';
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
const priced: TokenPriceReader = {
  read: (tokens) =>
    Promise.resolve(tokens.map(() => ({ price: { ...observed('0.9995'), flags: [], isConfirmed: true } }))),
};
const unpriced: TokenPriceReader = {
  read: (tokens) => Promise.resolve(tokens.map(() => ({ missing: 'NO_SOURCE' as const }))),
};

const REWARD = addressOf(7);
const rewarded = scriptedProtocol();

/** The contracts of a vault, with a reward in the token of another one. */
function resolution(row: StrategyRow): Resolution {
  const next = rewarded.resolution(row);
  if (next.kind !== 'next') return next;
  const { reads, decode } = next.read;
  const withReward = (...read: Parameters<typeof decode>) => {
    const resolved = decode(...read);
    return resolved?.kind === 'resolved' ? { ...resolved, rewardTokens: [REWARD] } : resolved;
  };
  return { kind: 'next', read: { reads, decode: withReward } };
}

function market(strategy: Strategy): ProtocolRead<MarketState> {
  const { reads, decode } = rewarded.market(strategy);
  const [token] = strategy.rewardTokens!;
  const emissions = [{ token: token!, perYear: 10n ** 11n, endsAt: 1_900_000_000n }];
  return { reads, decode: (...read) => ({ ...decode(...read)!, emissions }) };
}

const protocols = { erc4626: { ...rewarded, resolution, market } };

async function world({ prices = priced } = {}) {
  const nodes = scriptedNodes();
  const log = { warn: jest.fn() };
  const strategies = createStrategies({ rpc: nodes.rpc, log, chains, rows: [rowOf(1)], protocols });
  strategies.start();
  await strategies.firstPass(1);
  await strategies.stop();
  const deps = { rpc: nodes.rpc, pool: test.pool, log, strategies, protocols, prices };
  return { nodes, refresh: () => refreshMarkets(deps, ethereum, signal) };
}

const stored = async () => (await readMarkets(test, ['vault-1-ethereum'])).get('vault-1-ethereum');

describe('the rewards of a market', () => {
  const rewards = async () => (await stored())!.observation.rewards;

  it('are stored with each reading, and a doubtful reading keeps those before', async () => {
    const { nodes, refresh } = await world();
    await refresh();
    // 100,000 tokens a year for a million, at the same price.
    const rate = { token: REWARD, endsAt: new Date(1_900_000_000_000), perYear: 10n ** 11n, flags: [] };
    expect(await rewards()).toEqual([{ ...rate, rateRay: RAY / 10n }]);
    nodes.time += 300;
    nodes.values.set(addressOf(1), { deposits: 2n * 10n ** 12n });
    await refresh();
    expect(await rewards()).toEqual([{ ...rate, rateRay: RAY / 20n }]);
    nodes.time += 300;
    nodes.values.set(addressOf(1), { deposits: 1n });
    await refresh();
    expect(await rewards()).toEqual([{ ...rate, rateRay: RAY / 20n }]);
  });

  it('without a price are stored without a rate', async () => {
    const { refresh } = await world({ prices: unpriced });
    await refresh();
    expect(await rewards()).toMatchObject([{ perYear: 10n ** 11n, rateRay: undefined, flags: ['NO_PRICE'] }]);
  });

  it('that a later version has stored do not hide the market', async () => {
    const { refresh } = await world();
    await refresh();
    await test.pool.query(`UPDATE "StrategyState" SET rewards = '[{"token": "x", "flags": ["LATER"]}]'`);
    expect(await stored()).toMatchObject({ observation: { tvl: 10n ** 12n, rewards: undefined } });
  });
});
