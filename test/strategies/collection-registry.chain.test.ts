import { type Address, encodeFunctionData, erc20Abi, type Hex, parseUnits, zeroAddress } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import type { DevnetAccount } from '../../devnet/accounts';
import { ownArtifact } from '../../devnet/artifacts';
import { SERVICE_WALLET_KEY } from '../../devnet/service-wallet';
import { RAY } from '../../src/money/ray';
import { COLLECTION_REGISTRY_ABI as abi, entryKey } from '../../src/strategies/collection/registry-contract';
import { chainNamed, snapshotOf, type TestUniverse, universeOfTests } from '../setup/universe-of-tests';
import { type CollectionWorld, MARKUP_RECIPIENT, openCollectionWorld } from './collection-world';
import { callContract, mint, type StrategyChain, strategyChain } from './local-strategies';

const usdc = (amount: string): bigint => parseUnits(amount, 6);
const KEY = entryKey('customer', 'Test-USDC-devnet');
const DAY = 86_400;
const BPS = 10_000n;

let universe: TestUniverse;
let local: StrategyChain;
let world: CollectionWorld;
let wallet: DevnetAccount;
let other: DevnetAccount;
let revertOnce: () => Promise<void>;
beforeAll(async () => {
  universe = await universeOfTests();
  local = strategyChain(universe, chainNamed(universe, 'devnet'));
  world = await openCollectionWorld(universe, local);
  [wallet, other] = [universe.accounts[3]!, universe.accounts[4]!];
  await Promise.all([world.allow(wallet), world.allow(other)]);
  await world.setEntry(KEY, {}, 0n);
}, 120_000);
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
    await expect(world.collect(KEY, wallet.address, period(1n, shares + 1n))).rejects.toThrow('TooManyShares');
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
    await expect(world.collect(KEY, wallet.address, period(5n, 1n))).rejects.toThrow('PeriodCollected');
    await expect(world.collect(KEY, wallet.address, period(4n, 1n))).rejects.toThrow('PeriodCollected');
    await world.leave(wallet, KEY);
    await world.enrol(wallet, KEY, 2000);
    await world.earn(usdc('20'));
    await local.wait(10 * DAY);
    await expect(world.collect(KEY, wallet.address, period(5n, 1n))).rejects.toThrow('PeriodCollected');
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
    await expect(world.collect(KEY, wallet.address, period(2n, 1n))).rejects.toThrow('TooManyShares');
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
    await expect(world.collect(KEY, wallet.address, period(1n, 1n))).rejects.toThrow('NotEnrolled');
    await world.enrol(wallet, KEY, 2000);
    await world.earn(usdc('50'));
    await local.wait(10 * DAY);
    await world.setPaused(true);
    await world.leave(wallet, KEY);
    await world.setPaused(false);
    expect(await world.mark(KEY, wallet.address)).toEqual({ markRay: 0n, shares: 0n, maxBps: 0 });
    expect(await world.collectable(KEY, wallet.address)).toBe(0n);
    await expect(world.collect(KEY, wallet.address, period(1n, 1n))).rejects.toThrow('NotEnrolled');
    await expect(world.leave(wallet, KEY)).rejects.toThrow('NotEnrolled');
    await expect(world.record(wallet, KEY)).rejects.toThrow('NotEnrolled');
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
    await expect(world.collect(second, wallet.address, period(1n, 1n))).rejects.toThrow('NotEnrolled');
    await expect(world.enrol(wallet, entryKey('nobody', 'x'), 1)).rejects.toThrow('UnknownKey');
    await expect(world.enrol(wallet, KEY, 10_000)).rejects.toThrow('InvalidBps');
  });

  it('ends with the allowance', async () => {
    await withProfit();
    await world.revoke(wallet);
    expect(await world.collectable(KEY, wallet.address)).toBe(0n);
    await expect(world.collect(KEY, wallet.address, period(1n, 1n))).rejects.toThrow('TooManyShares');
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
    for (const data of calls) await expect(world.by(wallet, world.registry, data)).rejects.toThrow('NotController');
  });

  it('replaces an entry at its version, and never its vault', async () => {
    expect(await world.entry(KEY)).toMatchObject({ vault: world.vault, version: 1n, performanceBps: 1000 });
    await expect(world.setEntry(KEY, {}, 0n)).rejects.toThrow('VersionMismatch');
    await expect(world.setEntry(KEY, {}, 2n)).rejects.toThrow('VersionMismatch');
    const rigged = await local.deploy('RiggedVault', []);
    await expect(world.setEntry(KEY, { vault: rigged }, 1n)).rejects.toThrow('VaultFixed');
    await world.setEntry(KEY, { performanceBps: 9998, markupBps: 1 }, 1n);
    expect(await world.entry(KEY)).toMatchObject({ version: 2n, performanceBps: 9998, markupBps: 1 });
  });

  it.each([
    ['bps above 9999', { performanceBps: 9999, markupBps: 1 }, 'InvalidBps'],
    ['no collector', { performanceCollector: zeroAddress }, 'InvalidRecipient'],
    ['no markup recipient', { markupRecipient: zeroAddress }, 'InvalidRecipient'],
    ['a vault without code', { vault: MARKUP_RECIPIENT }, 'InvalidVault'],
  ])('sets no entry with %s', async (_, changes, error) => {
    await expect(world.setEntry(entryKey('new', 'x'), changes, 0n)).rejects.toThrow(error);
  });

  it('sets no entry that pays the registry itself', async () => {
    const changes = { performanceCollector: world.registry };
    await expect(world.setEntry(KEY, changes, 1n)).rejects.toThrow('InvalidRecipient');
  });

  it('collects neither while paused nor while the entry is not live', async () => {
    await withProfit();
    const shares = await world.collectable(KEY, wallet.address);
    await world.setPaused(true);
    expect(await world.collectable(KEY, wallet.address)).toBe(0n);
    await expect(world.collect(KEY, wallet.address, period(1n, 1n))).rejects.toThrow('EnforcedPause');
    await world.setPaused(false);
    await world.setEntry(KEY, { live: false }, 1n);
    expect(await world.collectable(KEY, wallet.address)).toBe(0n);
    await expect(world.collect(KEY, wallet.address, period(1n, 1n))).rejects.toThrow('NotLive');
    await world.setEntry(KEY, { live: true, markupBps: 0, markupRecipient: zeroAddress }, 2n);
    await world.collect(KEY, wallet.address, period(1n, shares / 2n));
    expect(await world.received()).toEqual([shares / 2n, 0n, 0n]);
  });

  it('collects no empty collection, which would choose the moment of a record', async () => {
    await withProfit();
    await expect(world.collect(KEY, wallet.address, period(1n, 0n))).rejects.toThrow('NothingToCollect');
  });
});

describe('a hostile vault', () => {
  const hostileKey = entryKey('customer', 'hostile');
  const tokenAbi = ownArtifact('RiggedVault').abi;
  const command = (address: Address, functionName: string, args: readonly unknown[]) =>
    callContract(local, other.privateKey, { address, abi: tokenAbi, functionName, args });

  /** A vault that is the controller of a registry as well, and whose shares the wallet holds and has allowed. */
  async function rigged(): Promise<{ readonly vault: Address; readonly registry: Address }> {
    const vault = await local.deploy('RiggedVault', []);
    const registry = await local.deploy('CollectionRegistry', [vault]);
    await mint(local, other, [vault, wallet.address, 1_000_000_000n]);
    for (const token of [vault, world.vault]) {
      const data = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [registry, 10n ** 30n] });
      await world.by(wallet, token, data);
    }
    const entry = { ...(await world.entry(KEY)), version: 0n };
    for (const [key, market] of [
      [KEY, world.vault],
      [hostileKey, vault],
    ] as const) {
      const args = [key, { ...entry, vault: market }, 0n] as const;
      await command(vault, 'execute', [registry, encodeFunctionData({ abi, functionName: 'setEntry', args })]);
      const enrolment = encodeFunctionData({ abi, functionName: 'enrol', args: [key, 2000] });
      await world.by(wallet, registry, enrolment);
    }
    return { vault, registry };
  }

  const collectData = (key: Hex, shares: bigint, periodId = 1n): Hex =>
    encodeFunctionData({ abi, functionName: 'collect', args: [key, wallet.address, periodId, shares] });

  it('that lies about its price takes no shares of another, and 1 % of its own a day at most', async () => {
    await world.deposit(wallet, usdc('1000'));
    const before = await world.shares(wallet.address);
    const { vault, registry } = await rigged();
    await command(vault, 'setPrice', [10n ** 40n]);
    await local.wait(DAY);
    const args = [hostileKey, wallet.address] as const;
    const shares = await local.client.readContract({ address: registry, abi, functionName: 'collectable', args });
    expect(shares).toBeLessThanOrEqual((1_000_000_000n * 2000n) / 10_000n / 100n);
    await expect(command(vault, 'execute', [registry, collectData(KEY, 1n)])).rejects.toThrow();
    expect(await world.shares(wallet.address)).toBe(before);
  });

  it.each(['its own', 'another'])(
    'that calls the registry while it is transferred collects nothing of %s key',
    async (which) => {
      await world.deposit(wallet, usdc('1000'));
      const { vault, registry } = await rigged();
      await command(vault, 'setPrice', [2n * RAY]);
      await world.earn(usdc('100'));
      await local.wait(10 * DAY);
      const before = await world.shares(wallet.address);
      const inner = which === 'another' ? collectData(KEY, 1n) : collectData(hostileKey, 1n, 2n);
      await command(vault, 'attack', [registry, inner]);
      const outer = collectData(hostileKey, 1000n);
      await expect(command(vault, 'execute', [registry, outer])).rejects.toThrow('the preparation failed');
      expect(await world.shares(wallet.address)).toBe(before);
      expect(await local.balanceOf(vault, wallet.address)).toBe(1_000_000_000n);
      await command(vault, 'attack', [zeroAddress, '0x']);
      await command(vault, 'execute', [registry, outer]);
      expect(await local.balanceOf(vault, wallet.address)).toBe(1_000_000_000n - 1000n);
    },
  );
});

it('the registry of the local chains has the wallet of the service as its controller', async () => {
  for (const chain of universe.chains) {
    const { client } = strategyChain(universe, chain);
    const controller = await client.readContract({
      address: chain.collectionRegistry!,
      abi,
      functionName: 'controller',
    });
    expect(controller).toBe(privateKeyToAddress(SERVICE_WALLET_KEY));
  }
});
