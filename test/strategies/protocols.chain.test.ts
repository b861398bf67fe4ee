import type { DevnetAccount } from '../../devnet/accounts';
import { multiplyRayDown, RAY } from '../../src/money/ray';
import { isRequested } from '../../src/strategies/strategy';
import { chainNamed, haltBlocks, snapshotOf, type TestUniverse, universeOfTests } from '../setup/universe-of-tests';
import {
  changedRow,
  execute,
  fulfil,
  type LocalStrategy,
  localRow,
  requestLend,
  resolutionOf,
  resolved,
  type StrategyChain,
  strategyChain,
  type User,
  userOf,
} from './local-strategies';

const IDS = [
  'Aave-USDC-devnet',
  'Aave-WETH-devnet',
  'Steady-USDC-devnet',
  'Gated-USDC-devnet',
  'ExitFee-USDC-devnet',
  'Requests-USDC-devnet',
  'Compound-USDC-devnet',
] as const;

/** True for an asynchronous vault. */
const waits = ({ strategy }: LocalStrategy): boolean => isRequested(strategy, 'lend');

const DAY = 86_400;
/** The longest time between a preview and its transaction in these tests, in seconds. */
const DELAY = 60n;

let universe: TestUniverse;
let local: StrategyChain;
let account: DevnetAccount;
let revert: () => Promise<void>;
beforeAll(async () => {
  universe = await universeOfTests();
  const chain = chainNamed(universe, 'devnet');
  local = strategyChain(universe, chain);
  account = universe.accounts[3]!;
  revert = await snapshotOf(chain);
});
afterAll(() => revert());

describe.each(IDS)('the protocol of %s', (id) => {
  let market: LocalStrategy;
  let user: User;
  /** A thousand USDC, or ten WETH. */
  let amount: bigint;
  let goBack: () => Promise<void>;
  beforeAll(async () => {
    market = await resolved(local, localRow(universe, id));
    user = userOf(local, market, account);
    const { decimals } = market.strategy.underlying;
    amount = (decimals === 6 ? 1000n : 10n) * 10n ** BigInt(decimals);
  });
  beforeEach(async () => {
    goBack = await snapshotOf(local.chain);
  });
  afterEach(() => goBack());

  /** Interest of an amount in some seconds at ten percent a year: more than any local strategy pays. */
  const accrualOf = (assets: bigint, seconds: bigint): bigint => (assets * seconds) / 315_360_000n + 1n;

  it('gives the shares that it has previewed, less the interest until the transaction', async () => {
    const preview = await user.lendPreview(amount);
    expect(preview).toMatchObject({ assets: amount, problem: undefined });
    const before = await user.tokens();
    await user.lend(amount);
    const { shares, value, debt } = await user.holding();
    expect(before - (await user.tokens())).toBe(amount);
    expect(shares).toBeLessThanOrEqual(preview.shares + 1n);
    expect(shares + accrualOf(preview.shares, DELAY) + 1n).toBeGreaterThanOrEqual(preview.shares);
    expect(value + (amount * BigInt(market.strategy.row.knownFeeBps)) / 10_000n + 2n).toBeGreaterThanOrEqual(amount);
    expect(debt).toBe(0n);
  });

  it('pays interest over thirty days, as the price of its shares shows', async () => {
    await user.lend(amount);
    // Deposit and price are read at the same block: interest accrues with each.
    const resumeBlocks = await haltBlocks(local.chain);
    const [first, early] = [await user.holding(), await user.market()];
    await local.wait(30 * DAY);
    const [last, late] = [await user.holding(), await user.market()];
    await resumeBlocks();
    expect(last.shares).toBe(first.shares);
    expect(last.value).toBeGreaterThan(first.value);
    expect(late.sharePriceRay).toBeGreaterThan(early.sharePriceRay);
    const expected = (first.value * late.sharePriceRay) / early.sharePriceRay;
    const difference = last.value - expected;
    // The first value was rounded to a unit.
    expect([-2n, -1n, 0n, 1n, 2n]).toContain(difference);
    if (late.yearlyRateRay === undefined) return;
    const interest = (first.value * late.yearlyRateRay * 30n) / (365n * RAY);
    expect(last.value - first.value).toBeGreaterThan((interest * 99n) / 100n);
    expect(last.value - first.value).toBeLessThan((interest * 101n) / 100n + 2n);
  });

  it('pays what it has previewed for a part, or up to the interest until the transaction more', async () => {
    await user.lend(amount);
    await local.wait(10 * DAY);
    const before = await user.holding();
    const { preview, received } = await user.withdraw({ kind: 'assets', assets: amount / 4n });
    expect(preview).toMatchObject({ assets: amount / 4n, problem: undefined });
    // A request is paid at the price of its fulfilment.
    const interest = waits(market) ? accrualOf(amount / 4n, DELAY) : 0n;
    expect(received).toBeGreaterThanOrEqual(amount / 4n);
    expect(received).toBeLessThanOrEqual(amount / 4n + interest);
    const after = await user.holding();
    expect(after.value).toBeGreaterThanOrEqual(before.value - amount / 4n - 2n - amount / 400n);
    expect(after.value).toBeLessThanOrEqual(before.value - amount / 4n + accrualOf(amount, DELAY));
    const burnt = before.shares - after.shares;
    expect(burnt).toBeLessThanOrEqual(preview.shares + 1n);
    expect(burnt + accrualOf(preview.shares, DELAY) + 1n).toBeGreaterThanOrEqual(preview.shares);
  });

  it('leaves nothing behind when everything is withdrawn', async () => {
    await user.lend(amount);
    await local.wait(10 * DAY + 7);
    const { preview, received } = await user.withdraw({ kind: 'all' });
    expect(preview.problem).toBeUndefined();
    expect(received).toBeGreaterThanOrEqual(preview.assets);
    expect(received).toBeLessThanOrEqual(preview.assets + accrualOf(preview.assets, DELAY) + 1n);
    expect(await user.holding()).toMatchObject({ shares: 0n, value: 0n, receiptBalance: 0n, availableToWithdraw: 0n });
  });

  it('pays for a number of shares, and for all shares leaves nothing behind', async () => {
    await user.lend(amount);
    await local.wait(DAY);
    const { shares } = await user.holding();
    const part = await user.withdraw({ kind: 'shares', shares: shares / 3n });
    expect(part.preview).toMatchObject({ shares: shares / 3n, problem: undefined });
    expect(part.received).toBeGreaterThanOrEqual(part.preview.assets);
    expect(part.received).toBeLessThanOrEqual(part.preview.assets + accrualOf(amount, DELAY) + 1n);
    const left = await user.holding();
    // A Comet rounds the principal that is left, which may take one unit more.
    expect(left.shares).toBeGreaterThanOrEqual(shares - shares / 3n - 1n);
    const rest = await user.withdraw({ kind: 'shares', shares: left.shares });
    expect(rest.preview.problem).toBeUndefined();
    expect((await user.holding()).shares).toBe(0n);
  });

  it('deposits for and pays to another address', async () => {
    const { strategy, protocol } = market;
    const other = universe.accounts[4]!;
    const recipient = '0x000000000000000000000000000000000000b0b7';
    const request = { wallet: account.address, receiver: other.address, assets: amount };
    if (waits(market)) await requestLend(local, market, { account, assets: amount });
    await execute(local, account, protocol.lend(strategy, request));
    const owner = userOf(local, market, other);
    expect((await owner.holding()).shares).toBeGreaterThan(0n);
    const withdrawal = { wallet: other.address, receiver: recipient, amount: { kind: 'all' } } as const;
    if (waits(market)) {
      const { requests } = protocol;
      const requested = (await local.read(requests!.withdrawPreview(strategy, withdrawal))).value!;
      await execute(local, other, requests!.withdraw(strategy, withdrawal, requested));
      await fulfil(local, market, other);
    }
    const preview = (await local.read(protocol.withdrawPreview(strategy, withdrawal))).value!;
    await execute(local, other, protocol.withdraw(strategy, withdrawal, preview));
    expect(await local.balanceOf(strategy.row.underlying, recipient)).toBeGreaterThanOrEqual(preview.assets);
    expect((await owner.holding()).shares).toBe(0n);
  });

  it('refuses more than the wallet has, and names what it has', async () => {
    const tokens = await user.tokens();
    expect((await user.lendPreview(tokens + 1n)).problem).toMatchObject({ kind: 'BALANCE', maximum: tokens });
    expect((await user.withdrawPreview({ kind: 'assets', assets: 1n })).problem).toMatchObject({
      kind: 'BALANCE',
      maximum: 0n,
    });
    expect((await user.withdrawPreview({ kind: 'all' })).problem?.kind).toBe('BALANCE');
    await user.lend(amount);
    const { shares } = await user.holding();
    const { problem } = await user.withdrawPreview({ kind: 'assets', assets: amount * 2n });
    expect(problem?.kind).toBe('BALANCE');
    expect(problem!.maximum! * 100n).toBeGreaterThan(amount * 99n);
    expect((await user.withdrawPreview({ kind: 'shares', shares: shares + 1n })).problem?.kind).toBe('BALANCE');
  });

  it('refuses an amount of nothing', async () => {
    expect((await user.lendPreview(0n)).problem?.kind).toBe('TOO_SMALL');
    await user.lend(amount);
    expect((await user.withdrawPreview({ kind: 'assets', assets: 0n })).problem?.kind).toBe('TOO_SMALL');
    expect((await user.withdrawPreview({ kind: 'shares', shares: 0n })).problem?.kind).toBe('TOO_SMALL');
  });

  it('counts all deposits, and what a wallet can withdraw', async () => {
    const before = await user.market();
    await user.lend(amount);
    const after = await user.market();
    expect(after.tvl).toBeGreaterThanOrEqual(before.tvl + amount - 1n);
    expect(after).toMatchObject({ acceptsDeposits: true, allowsWithdrawals: true });
    const { shares, value, availableToWithdraw, isAvailableTrusted } = await user.holding();
    expect(availableToWithdraw).toBe(waits(market) ? 0n : value);
    expect(isAvailableTrusted).toBe(market.strategy.row.trustMax);
    const worth = multiplyRayDown(shares, after.sharePriceRay);
    expect(worth + 2n).toBeGreaterThanOrEqual(value);
  });

  it('is refused with another asset', async () => {
    const underlying = local.chain.tokens.find(({ symbol }) => symbol === 'BRLA')!.address;
    const resolution = await resolutionOf(local, changedRow(market.strategy.row, { underlying }));
    expect(resolution).toMatchObject({ kind: 'refused', reason: expect.stringContaining(underlying) });
  });

  it('is not resolved when there is no such contract', async () => {
    const row = changedRow(market.strategy.row, { market: '0x00000000000000000000000000000000000b0b00' });
    expect(await resolutionOf(local, row)).toBeUndefined();
  });
});

it('fifty strategies and holdings of a wallet are read in one eth_call', async () => {
  const markets = await Promise.all(IDS.map((id) => resolved(local, localRow(universe, id))));
  const fifty = Array.from({ length: 50 }, (_, index) => markets[index % markets.length]!);
  const reads = fifty.map(({ strategy, protocol }) => protocol.holding(strategy, account.address));
  expect(reads.flatMap((read) => read.reads).length).toBeLessThanOrEqual(398);
  const request = jest.spyOn(local.client, 'request');
  const states = await local.readEach(reads);
  expect(request).toHaveBeenCalledTimes(1);
  expect(states.every((state) => state?.shares === 0n)).toBe(true);
});
