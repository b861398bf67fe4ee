import { encodeFunctionData, parseUnits, zeroAddress } from 'viem';
import type { DevnetAccount } from '../../devnet/accounts';
import { RAY } from '../../src/money/ray';
import { COLLECTION_REGISTRY_ABI as abi, entryKey } from '../../src/strategies/collection/registry-contract';
import { chainNamed, snapshotOf, type TestUniverse, universeOfTests } from '../setup/universe-of-tests';
import { type CollectionWorld, MARKUP_RECIPIENT, openCollectionWorld, refusalOf } from './collection-world';
import { type StrategyChain, strategyChain } from './local-strategies';

const usdc = (amount: string): bigint => parseUnits(amount, 6);
const KEY = entryKey('customer', 'Test-USDC-devnet');
const DAY = 86_400;
const BPS = 10_000n;

let universe: TestUniverse;
let local: StrategyChain;
let world: CollectionWorld;
let wallet: DevnetAccount;
let revertOnce: () => Promise<void>;
beforeAll(async () => {
  universe = await universeOfTests();
  local = strategyChain(universe, chainNamed(universe, 'devnet'));
  world = await openCollectionWorld(universe, local);
  wallet = universe.accounts[3]!;
  await world.allow(wallet);
  await world.setEntry(KEY, {}, 0n);
});
beforeEach(async () => {
  revertOnce = await snapshotOf(local.chain);
});
afterEach(() => revertOnce());

/** A wallet with 1000 USDC in the vault, enrolled at `maxBps`, ten days and 5 % of profit later. */
async function withProfit(maxBps = 2000): Promise<{ readonly before: bigint; readonly markRay: bigint }> {
  await world.deposit(wallet, usdc('1000'));
  await world.enrol(wallet, KEY, maxBps);
  const { markRay } = await world.mark(KEY, wallet.address);
  await world.earn(usdc('50'));
  await local.wait(10 * DAY);
  return { before: await world.shares(wallet.address), markRay };
}

interface Growth {
  readonly balance: bigint;
  readonly markRay: bigint;
  readonly priceRay: bigint;
}

const feeShares = ({ balance, markRay, priceRay }: Growth, bps: bigint): bigint =>
  (balance * (priceRay - markRay) * bps) / (priceRay * BPS);

const period = (periodId: bigint, shares: bigint) => ({ periodId, shares });

describe('a collection', () => {
  it('takes the bps of the growth since the mark, to the unit, and splits it', async () => {
    const { before, markRay } = await withProfit();
    const priceRay = await world.price();
    const shares = feeShares({ balance: before, markRay, priceRay }, 1500n);
    expect(await world.collectable(KEY, wallet.address)).toBe(shares);

    const events = await world.collect(KEY, wallet.address, period(1n, shares));

    const performanceShares = (shares * 1000n) / 1500n;
    const markupShares = shares - performanceShares;
    const moved = { performanceShares, markupShares };
    expect(events).toEqual([{ key: KEY, wallet: wallet.address, periodId: 1n, ...moved, markRay: priceRay, priceRay }]);
    expect(await world.received()).toEqual([performanceShares, markupShares, 0n]);
    expect(await world.shares(wallet.address)).toBe(before - shares);
    expect(await world.mark(KEY, wallet.address)).toEqual({
      markRay: priceRay,
      shares: before - shares,
      maxBps: 2000,
    });
    expect(await world.collectable(KEY, wallet.address)).toBe(0n);
  });

  it('takes no more than the wallet has consented to', async () => {
    const { before, markRay } = await withProfit(300);
    const shares = feeShares({ balance: before, markRay, priceRay: await world.price() }, 300n);
    expect(await world.collectable(KEY, wallet.address)).toBe(shares);
    expect(await refusalOf(world.collect(KEY, wallet.address, period(1n, shares + 1n)))).toBe('TooManyShares');
    await world.collect(KEY, wallet.address, period(1n, shares));
    expect(await world.received()).toEqual([(shares * 1000n) / 1500n, shares - (shares * 1000n) / 1500n, 0n]);
  });

  it('for fewer shares waives the rest', async () => {
    await withProfit();
    const shares = await world.collectable(KEY, wallet.address);
    await world.collect(KEY, wallet.address, period(1n, shares / 3n));
    expect(await world.collectable(KEY, wallet.address)).toBe(0n);
    expect((await world.mark(KEY, wallet.address)).markRay).toBe(await world.price());
  });

  it('happens once a period, also after the wallet has left and enrolled again', async () => {
    await withProfit();
    await world.collect(KEY, wallet.address, period(5n, 1n));
    await world.earn(usdc('20'));
    await local.wait(10 * DAY);
    expect(await world.collectable(KEY, wallet.address)).toBeGreaterThan(0n);
    expect(await refusalOf(world.collect(KEY, wallet.address, period(5n, 1n)))).toBe('PeriodCollected');
    expect(await refusalOf(world.collect(KEY, wallet.address, period(4n, 1n)))).toBe('PeriodCollected');
    await world.leave(wallet, KEY);
    await world.enrol(wallet, KEY, 2000);
    await world.earn(usdc('20'));
    await local.wait(10 * DAY);
    expect(await refusalOf(world.collect(KEY, wallet.address, period(5n, 1n)))).toBe('PeriodCollected');
    await world.collect(KEY, wallet.address, period(6n, 1n));
  });

  it('counts a sudden growth for 1 % a day, and the rest later', async () => {
    await world.deposit(wallet, usdc('1000'));
    await world.enrol(wallet, KEY, 2000);
    const { markRay } = await world.mark(KEY, wallet.address);
    await world.earn(usdc('1000'));
    const seconds = 2n * 86_400n;
    await local.wait(Number(seconds));
    const [event] = await world.collect(KEY, wallet.address, period(1n, 1n));
    const growth = event!.markRay - markRay;
    expect(growth).toBeGreaterThanOrEqual(markRay / 50n);
    // The blocks of the test take seconds as well.
    expect(growth).toBeLessThan(((markRay / 50n) * 1001n) / 1000n);
    expect(event!.priceRay).toBe(await world.price());
    await local.wait(5 * DAY);
    expect(await world.collectable(KEY, wallet.address)).toBeGreaterThan(0n);
  });

  it('counts no more than 30 days of growth at once', async () => {
    await world.deposit(wallet, usdc('1000'));
    await world.enrol(wallet, KEY, 2000);
    const { markRay } = await world.mark(KEY, wallet.address);
    await world.earn(usdc('9000'));
    await local.wait(300 * DAY);
    const [event] = await world.collect(KEY, wallet.address, period(1n, 1n));
    expect(event!.markRay).toBe(markRay + (markRay * 30n) / 100n);
  });

  it('takes nothing after a loss, nor from its recovery', async () => {
    await withProfit();
    await world.collect(KEY, wallet.address, period(1n, await world.collectable(KEY, wallet.address)));
    await world.lose(usdc('40'));
    await local.wait(10 * DAY);
    expect(await world.collectable(KEY, wallet.address)).toBe(0n);
    await world.earn(usdc('39'));
    await local.wait(10 * DAY);
    expect(await world.collectable(KEY, wallet.address)).toBe(0n);
    expect(await refusalOf(world.collect(KEY, wallet.address, period(2n, 1n)))).toBe('TooManyShares');
  });
});

describe('shares that were gained later', () => {
  it('are not charged for earlier growth', async () => {
    const { before, markRay } = await withProfit();
    await world.deposit(wallet, usdc('5000'));
    const [balance, priceRay] = await Promise.all([world.shares(wallet.address), world.price()]);
    const shares = await world.collectable(KEY, wallet.address);
    const alone = feeShares({ balance: before, markRay, priceRay }, 1500n);
    expect(shares).toBeLessThanOrEqual(alone);
    // The average mark is rounded up to a ray.
    expect(alone - shares).toBeLessThanOrEqual(balance / RAY + 2n);
  });

  it('are marked at the price at which the wallet records them, rounded up', async () => {
    const { before, markRay } = await withProfit();
    await world.deposit(wallet, usdc('5000'));
    await world.record(wallet, KEY);
    const [balance, priceRay] = await Promise.all([world.shares(wallet.address), world.price()]);
    const gained = balance - before;
    const average = markRay + ((priceRay - markRay) * gained + balance - 1n) / balance;
    expect(await world.mark(KEY, wallet.address)).toEqual({ markRay: average, shares: balance, maxBps: 2000 });
  });

  it('have no part in the growth that the time since the mark allows', async () => {
    await world.deposit(wallet, 1n);
    await world.enrol(wallet, KEY, 2000);
    await local.wait(30 * DAY);
    await world.deposit(wallet, usdc('1000'));
    await world.record(wallet, KEY);
    await world.earn(usdc('500'));
    const shares = await world.shares(wallet.address);
    expect(await world.collectable(KEY, wallet.address)).toBeLessThan(shares / 1_000_000n);
  });

  it('replace none that have left', async () => {
    const { before, markRay } = await withProfit();
    await world.redeem(wallet, before / 2n);
    await world.record(wallet, KEY);
    expect(await world.mark(KEY, wallet.address)).toEqual({ markRay, shares: before - before / 2n, maxBps: 2000 });
  });
});

describe('the consent of a wallet', () => {
  it('is needed, and ends when it leaves, also while paused', async () => {
    await world.deposit(wallet, usdc('1000'));
    expect(await refusalOf(world.collect(KEY, wallet.address, period(1n, 1n)))).toBe('NotEnrolled');
    await world.enrol(wallet, KEY, 2000);
    await world.earn(usdc('50'));
    await local.wait(10 * DAY);
    await world.setPaused(true);
    await world.leave(wallet, KEY);
    await world.setPaused(false);
    expect(await world.mark(KEY, wallet.address)).toEqual({ markRay: 0n, shares: 0n, maxBps: 0 });
    expect(await world.collectable(KEY, wallet.address)).toBe(0n);
    expect(await refusalOf(world.collect(KEY, wallet.address, period(1n, 1n)))).toBe('NotEnrolled');
    expect(await refusalOf(world.leave(wallet, KEY))).toBe('NotEnrolled');
    expect(await refusalOf(world.record(wallet, KEY))).toBe('NotEnrolled');
  });

  it('marks the current price: earlier profit is free', async () => {
    await world.deposit(wallet, usdc('1000'));
    await world.earn(usdc('500'));
    await world.enrol(wallet, KEY, 2000);
    expect(await world.mark(KEY, wallet.address)).toEqual({
      markRay: await world.price(),
      shares: await world.shares(wallet.address),
      maxBps: 2000,
    });
    await local.wait(30 * DAY);
    expect(await world.collectable(KEY, wallet.address)).toBe(0n);
  });

  it('that is given again never lowers a mark', async () => {
    const { markRay } = await withProfit();
    await world.lose(usdc('100'));
    await world.enrol(wallet, KEY, 100);
    expect(await world.mark(KEY, wallet.address)).toMatchObject({ markRay, maxBps: 100 });
  });

  it('counts for one key', async () => {
    await withProfit();
    const second = entryKey('other customer', 'Test-USDC-devnet');
    await world.setEntry(second, {}, 0n);
    expect(await world.collectable(second, wallet.address)).toBe(0n);
    expect(await refusalOf(world.collect(second, wallet.address, period(1n, 1n)))).toBe('NotEnrolled');
    expect(await refusalOf(world.enrol(wallet, entryKey('nobody', 'x'), 1))).toBe('UnknownKey');
    expect(await refusalOf(world.enrol(wallet, KEY, 10_000))).toBe('InvalidBps');
  });

  it('ends with the allowance', async () => {
    await withProfit();
    await world.revoke(wallet);
    expect(await world.collectable(KEY, wallet.address)).toBe(0n);
    expect(await refusalOf(world.collect(KEY, wallet.address, period(1n, 1n)))).toBe('TooManyShares');
  });
});

describe('the controller', () => {
  it('alone sets entries, collects and pauses', async () => {
    await withProfit();
    const calls = [
      encodeFunctionData({ abi, functionName: 'collect', args: [KEY, wallet.address, 1n, 1n] }),
      encodeFunctionData({ abi, functionName: 'pause' }),
      encodeFunctionData({ abi, functionName: 'unpause' }),
      encodeFunctionData({ abi, functionName: 'setEntry', args: [KEY, await world.entry(KEY), 1n] }),
    ];
    for (const data of calls) expect(await refusalOf(world.by(wallet, world.registry, data))).toBe('NotController');
  });

  it('replaces an entry at its version, and never its vault', async () => {
    expect(await world.entry(KEY)).toMatchObject({ vault: world.vault, version: 1n, performanceBps: 1000 });
    expect(await refusalOf(world.setEntry(KEY, {}, 0n))).toBe('VersionMismatch');
    expect(await refusalOf(world.setEntry(KEY, {}, 2n))).toBe('VersionMismatch');
    const rigged = await local.deploy('RiggedVault', []);
    expect(await refusalOf(world.setEntry(KEY, { vault: rigged }, 1n))).toBe('VaultFixed');
    await world.setEntry(KEY, { performanceBps: 9998, markupBps: 1 }, 1n);
    expect(await world.entry(KEY)).toMatchObject({ version: 2n, performanceBps: 9998, markupBps: 1 });
  });

  it.each([
    ['bps above 9999', { performanceBps: 9999, markupBps: 1 }, 'InvalidBps'],
    ['no collector', { performanceCollector: zeroAddress }, 'InvalidRecipient'],
    ['no markup recipient', { markupRecipient: zeroAddress }, 'InvalidRecipient'],
    ['a vault without code', { vault: MARKUP_RECIPIENT }, 'InvalidVault'],
  ])('sets no entry with %s', async (_, changes, error) => {
    expect(await refusalOf(world.setEntry(entryKey('new', 'x'), changes, 0n))).toBe(error);
  });

  it('sets no entry that pays the registry itself', async () => {
    const changes = { performanceCollector: world.registry };
    expect(await refusalOf(world.setEntry(KEY, changes, 1n))).toBe('InvalidRecipient');
  });

  it('collects neither while paused nor while the entry is not live', async () => {
    await withProfit();
    const shares = await world.collectable(KEY, wallet.address);
    await world.setPaused(true);
    expect(await world.collectable(KEY, wallet.address)).toBe(0n);
    expect(await refusalOf(world.collect(KEY, wallet.address, period(1n, 1n)))).toBe('EnforcedPause');
    await world.setPaused(false);
    await world.setEntry(KEY, { live: false }, 1n);
    expect(await world.collectable(KEY, wallet.address)).toBe(0n);
    expect(await refusalOf(world.collect(KEY, wallet.address, period(1n, 1n)))).toBe('NotLive');
    await world.setEntry(KEY, { live: true, markupBps: 0, markupRecipient: zeroAddress }, 2n);
    await world.collect(KEY, wallet.address, period(1n, shares / 2n));
    expect(await world.received()).toEqual([shares / 2n, 0n, 0n]);
  });

  it('collects no empty collection, which would choose the moment of a record', async () => {
    await withProfit();
    expect(await refusalOf(world.collect(KEY, wallet.address, period(1n, 0n)))).toBe('NothingToCollect');
  });
});
