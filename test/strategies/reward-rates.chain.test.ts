import type { DevnetAccount } from '../../devnet/accounts';
import { REWARDS_CONTROLLER_ABI } from '../../devnet/strategies/aave-abi';
import { RAY, SECONDS_PER_YEAR } from '../../src/money/ray';
import { type PricesByAddress, rewardRates } from '../../src/strategies/market/reward-rates';
import type { MarketState } from '../../src/strategies/protocols/protocol';
import type { Strategy } from '../../src/strategies/strategy';
import { chainNamed, haltBlocks, snapshotOf, type TestUniverse, universeOfTests } from '../setup/universe-of-tests';
import { usdPrice } from '../setup/usd';
import {
  callContract,
  type LocalStrategy,
  localRow,
  resolved,
  type StrategyChain,
  strategyChain,
  userOf,
} from './local-strategies';

const AAVE = 'Aave-USDC-devnet';
const COMET = 'Compound-USDC-devnet';
const DAY = 86_400;
const AMOUNT = 1000n * 10n ** 6n;
const ASSET_PRICE = usdPrice('0.9997');
const REWARD_PRICE = usdPrice('87.5');

let universe: TestUniverse;
let local: StrategyChain;
let account: DevnetAccount;
let revert: () => Promise<void>;
let markets: Readonly<Record<string, LocalStrategy>>;
let goBack: () => Promise<void>;
beforeAll(async () => {
  universe = await universeOfTests();
  local = strategyChain(universe, chainNamed(universe, 'devnet'));
  account = universe.accounts[3]!;
  revert = await snapshotOf(local.chain);
  const [aave, comet] = await Promise.all([AAVE, COMET].map((id) => resolved(local, localRow(universe, id))));
  markets = { [AAVE]: aave!, [COMET]: comet! };
});
afterAll(() => revert());
beforeEach(async () => {
  goBack = await snapshotOf(local.chain);
});
afterEach(() => goBack());

const pricesOf = ({ underlying, rewardTokens }: Strategy): PricesByAddress =>
  new Map([
    [underlying.address, { usdE24: ASSET_PRICE, isConfirmed: true }],
    ...rewardTokens!.map(({ address }) => [address, { usdE24: REWARD_PRICE, isConfirmed: true }] as const),
  ]);
const ratesOf = (strategy: Strategy, state: MarketState) => rewardRates(state, strategy.underlying, pricesOf(strategy));

/** Lets a wallet hold a deposit for some days. Returns the rate that it was promised, and the one that it has got. */
async function hold(id: string, days: number) {
  const market = markets[id]!;
  const { strategy, protocol } = market;
  const user = userOf(local, market, account);
  await user.lend(AMOUNT);
  const resumeBlocks = await haltBlocks(local.chain);
  const read = async () => {
    const reads = [protocol.market(strategy), protocol.holding(strategy, account.address)] as const;
    const [state, holding] = await local.readEach<unknown>(reads);
    const { timestamp } = await local.client.getBlock({ blockTag: 'latest' });
    const { value, rewards } = holding as Awaited<ReturnType<typeof user.holding>>;
    return { state: state as MarketState, value, earned: rewards?.[0]?.amount ?? 0n, timestamp };
  };
  const first = await read();
  await local.wait(days * DAY);
  const last = await read();
  await resumeBlocks();
  const [{ decimals }] = strategy.rewardTokens as [Strategy['receipt']];
  const earned = (last.earned - first.earned) * REWARD_PRICE * 10n ** BigInt(strategy.underlying.decimals);
  const held = first.value * ASSET_PRICE * 10n ** BigInt(decimals) * (last.timestamp - first.timestamp);
  return { first: first.state, last: last.state, realized: (earned * SECONDS_PER_YEAR * RAY) / held };
}

describe.each([AAVE, COMET])('the rewards of %s', (id) => {
  it('are paid over thirty days as their stated rate says, within a basis point', async () => {
    const { first, realized } = await hold(id, 30);
    const { strategy } = markets[id]!;
    const [rate, ...others] = ratesOf(strategy, first);
    expect([rate!.token, rate!.flags, others]).toEqual([strategy.rewardTokens![0]!.address, [], []]);
    const stated = rate!.rateRay!;
    const difference = realized > stated ? realized - stated : stated - realized;
    expect(stated).toBeGreaterThan(RAY / 10n);
    expect(difference * 10_000n).toBeLessThan(stated);
  });

  it('that cannot be read leave the market as it is', async () => {
    const { strategy, protocol } = markets[id]!;
    const broken = { ...strategy, contracts: { ...strategy.contracts, rewards: strategy.row.underlying } };
    const [whole, partial] = await local.readEach([protocol.market(strategy), protocol.market(broken)]);
    expect({ ...partial, emissions: undefined }).toEqual({ ...whole, emissions: undefined });
    expect(ratesOf(strategy, partial!)).toMatchObject([{ perYear: undefined, rateRay: undefined, flags: ['UNREAD'] }]);
  });
});

const configure = ({ strategy }: LocalStrategy, perSecond: bigint, end: bigint) =>
  callContract(local, account.privateKey, {
    address: strategy.contracts['rewards']!,
    abi: REWARDS_CONTROLLER_ABI,
    functionName: 'configure',
    args: [strategy.receipt.address, strategy.rewardTokens![0]!.address, perSecond, end],
  });

it('a distribution that has ended has the rate 0', async () => {
  const market = markets[AAVE]!;
  const { timestamp } = await local.client.getBlock({ blockTag: 'latest' });
  const end = timestamp + BigInt(10 * DAY);
  await configure(market, 10n ** 15n, end);
  const { first, last, realized } = await hold(AAVE, 30);
  const [before, after] = [ratesOf(market.strategy, first)[0]!, ratesOf(market.strategy, last)[0]!];
  expect(before).toMatchObject({ perYear: 10n ** 15n * SECONDS_PER_YEAR, endsAt: new Date(Number(end) * 1000) });
  expect(after).toMatchObject({ perYear: 0n, rateRay: 0n, flags: [], endsAt: before.endsAt });
  // Ten of the thirty days.
  expect(realized * 3n).toBeGreaterThan((before.rateRay! * 99n) / 100n);
  expect(realized * 3n).toBeLessThan((before.rateRay! * 101n) / 100n);
});

it('an emission that no token can have is unknown, and its market is read', async () => {
  const market = markets[AAVE]!;
  await configure(market, 2n ** 255n, 2n ** 256n - 1n);
  const state = await userOf(local, market, account).market();
  expect(state.tvl).toBeGreaterThan(0n);
  expect(ratesOf(market.strategy, state)).toEqual([
    {
      token: market.strategy.rewardTokens![0]!.address,
      perYear: undefined,
      endsAt: undefined,
      rateRay: undefined,
      flags: ['IMPLAUSIBLE'],
    },
  ]);
});
