import { type Address, erc20Abi, getAddress, type Hex, parseUnits } from 'viem';
import type { DevnetAccount } from '../../devnet/accounts';
import { RAY } from '../../src/money/ray';
import { readPosition } from '../../src/strategies/positions/read-positions';
import { VAULT_ABI } from '../../src/strategies/protocols/erc4626/erc4626-abi';
import { rejection } from '../swaps/swap-world';
import { haltBlocks } from '../setup/universe-of-tests';
import { type CollectionDesk, openCollectionDesk } from './collection-desk';
import { callContract, mint } from './local-strategies';
import type { OperationDesk } from './operation-desk';
import { useOperationDesk } from './use-operation-desk';
import { vaultChanges } from './vault-changes';

const COLLECTOR = getAddress('0x00000000000000000000000000000000000c0111');
const PARTNER = getAddress('0x0000000000000000000000000000000000009a27');
const VAULT = 'Steady-USDC-devnet';
const AMOUNT = parseUnits('100', 6);
const LEND = { action: 'lend', amount: AMOUNT.toString() };
const ALL = { action: 'withdraw', amount: 'max' };
const FEES = { performanceFeeBps: 1000, markupFeeBps: 500, feeCollector: COLLECTOR, markupRecipient: PARTNER };

let desk: OperationDesk;
let collection: CollectionDesk;
let vault: Address;
let account: DevnetAccount;
let other: DevnetAccount;
useOperationDesk((opened) => {
  desk = opened;
  vault = desk.strategies.get(VAULT).row.market;
  account = desk.universe.accounts.find(({ address }) => address === desk.wallet)!;
  other = desk.universe.accounts[6]!;
});
beforeEach(async () => {
  collection = await openCollectionDesk(desk, { strategyId: VAULT, ...FEES });
  await collection.turnOn();
  await desk.execute(VAULT, LEND);
});
afterEach(() => collection.forget());

const sharesOf = (owner: Address) => desk.balanceOf(vault, owner);
const received = async () => [await sharesOf(COLLECTOR), await sharesOf(PARTNER)] as const;
const withdrawal = () => desk.operate(VAULT, ALL, { readFees: collection.readFees });
const itemOf = async (wallet: string) => (await collection.items(wallet)).at(-1)!;
const unitsOf = (amount: { toFixed(): string } | null): bigint => BigInt(amount!.toFixed());
const shareOf = (gain: bigint, bps: bigint): bigint => (gain * bps) / 10_000n;

/** The wallet agrees, earns, and its collection is reserved. */
async function reserved(): Promise<void> {
  await collection.enrol(account);
  await vaultChanges(desk, VAULT).earn();
  await collection.due();
  await collection.run();
}

/** Another wallet with the same position, which agrees as well. */
async function enrolOther(): Promise<void> {
  const { local } = collection;
  const usdc = desk.token('USDC') as Address;
  await mint(local, other, [usdc, other.address, AMOUNT]);
  const calls = [
    { address: usdc, abi: erc20Abi, functionName: 'approve', args: [vault, AMOUNT] },
    { address: vault, abi: VAULT_ABI, functionName: 'deposit', args: [AMOUNT, other.address] },
  ];
  for (const call of calls) await callContract(local, other.privateKey, call);
  await collection.enrol(other);
}

describe('a recurring collection', () => {
  it('takes the fees on the profit to the unit, once a period, and a withdrawal charges the rest alone', async () => {
    expect(await collection.state()).toBe('LIVE');
    await reserved();
    expect(await itemOf(desk.wallet)).toMatchObject({ state: 'RESERVED' });
    const resume = await haltBlocks(desk.devnet);
    const before = await sharesOf(desk.wallet);
    const owner = { customerId: desk.customerId, wallet: desk.wallet };
    const request = { owner, strategy: desk.strategies.get(VAULT), signal: AbortSignal.timeout(20_000) };
    const { holding } = await readPosition(desk.deps.positions, request);
    const fee = shareOf(holding.value - AMOUNT, 1500n);
    const expected = (fee * holding.shares) / holding.value;

    await collection.next();
    await resume();
    await collection.confirm();
    await collection.next();

    const item = await itemOf(desk.wallet);
    expect(item).toMatchObject({ state: 'CONFIRMED', chargedBps: 1500, txHash: expect.stringMatching(/^0x/) });
    expect(unitsOf(item.sharesPlanned)).toBe(expected);
    const performance = (expected * 1000n) / 1500n;
    expect(await received()).toEqual([performance, expected - performance]);
    expect([unitsOf(item.performanceShares), unitsOf(item.markupShares)]).toEqual(await received());
    expect(await sharesOf(desk.wallet)).toBe(before - expected);
    expect(await collection.runs()).toMatchObject([{ state: 'CONFIRMED' }]);
    expect(await collection.sentFor(item.id)).toBe(1);

    const paid = (expected * unitsOf(item.priceRay)) / RAY;
    const { operation } = await desk.execute(VAULT, ALL, { readFees: collection.readFees });
    const later = BigInt(operation.feeCharged);
    const total = shareOf(BigInt(operation.expected.value) + later + paid - AMOUNT, 1500n);
    expect(later).toBeLessThan(paid / 10n);
    expect(paid + later).toBeLessThanOrEqual(total);
    // Both fees are rounded down, at the collection and at the withdrawal.
    expect(paid + later).toBeGreaterThanOrEqual(total - 4n);
  });

  it('takes later profit in the next period alone', async () => {
    await reserved();
    for (let round = 0; round < 2; round += 1) {
      await collection.next();
      await collection.confirm();
    }
    const first = await received();
    await collection.next();
    expect(await received()).toEqual(first);
    await vaultChanges(desk, VAULT).earn();
    await collection.due();
    for (let round = 0; round < 3; round += 1) {
      await collection.next();
      await collection.confirm();
    }
    const [one, two] = await collection.items(desk.wallet);
    expect([one!.state, two!.state]).toEqual(['CONFIRMED', 'CONFIRMED']);
    const [performance, markup] = await received();
    expect(performance - first[0]).toBe(unitsOf(two!.performanceShares));
    expect(markup - first[1]).toBe(unitsOf(two!.markupShares));
    expect((await collection.runs()).map(({ state }) => state)).toEqual(['CONFIRMED', 'CONFIRMED']);
  });

  it('is sent once when the worker dies after it, whichever worker goes on', async () => {
    await reserved();
    const dying = {
      ...collection.registry,
      async sendCollection(...sending: Parameters<typeof collection.registry.sendCollection>) {
        await collection.registry.sendCollection(...sending);
        throw new Error('the process died');
      },
    };
    const resume = await haltBlocks(desk.devnet); // blocks after the transaction would make it final at once
    await collection.next({ registry: dying });
    const item = await itemOf(desk.wallet);
    expect(item).toMatchObject({ state: 'UNKNOWN', txHash: null });
    expect(await collection.runs()).toMatchObject([{ state: 'UNKNOWN' }]);
    expect(await withdrawal()).toMatchObject({ feeCharged: '0' });
    await resume();
    await collection.confirm();
    await Promise.all([collection.next(), collection.next()]);
    expect(await itemOf(desk.wallet)).toMatchObject({ id: item.id, state: 'CONFIRMED' });
    expect(await collection.sentFor(item.id)).toBe(1);
    const [performance, markup] = await received();
    expect(performance + markup).toBe(unitsOf(item.sharesPlanned));
  });

  it('that the registry has executed stays unresolved while no node has its transaction', async () => {
    await reserved();
    await collection.next();
    await collection.confirm();
    const blind = { ...collection.registry, sendCollection: () => Promise.resolve('refused' as const) };
    await collection.next({ registry: blind });
    expect(await itemOf(desk.wallet)).toMatchObject({ state: 'UNKNOWN' });
    expect(await withdrawal()).toMatchObject({ feeCharged: '0' });
    await collection.next();
    expect(await itemOf(desk.wallet)).toMatchObject({ state: 'CONFIRMED' });
  });
});

it('a registry with another controller is not used', async () => {
  const registry = await collection.local.deploy('CollectionRegistry', [other.address]);
  const place = { chain: desk.chain, customerId: desk.customerId, strategyId: VAULT.toLowerCase() };
  expect(await collection.registry.readEntry({ ...place, registry: desk.chain.collectionRegistry! })).toMatchObject({
    live: true,
    version: 1n,
  });
  const refused = await rejection(collection.registry.readEntry({ ...place, registry }));
  expect(refused).toMatchObject({ code: 'RECURRING_REGISTRY_CONTROLLER_NOT_CONFIGURED' });
});

describe('a wallet', () => {
  it('with an open withdrawal is put off and then left to the next run, and the others are collected', async () => {
    await enrolOther();
    await reserved();
    await withdrawal();
    await collection.next();
    expect(await itemOf(desk.wallet)).toMatchObject({ state: 'PLANNED', reason: 'The wallet has an open action' });
    await collection.confirm();
    await collection.next();
    expect(await itemOf(other.address)).toMatchObject({ state: 'CONFIRMED' });
    await collection.due();
    for (let round = 0; round < 2; round += 1) await collection.next();
    expect((await collection.items(desk.wallet))[0]).toMatchObject({ state: 'SKIPPED' });
    expect((await collection.runs()).map(({ state }) => state)).toEqual(['CONFIRMED', 'PLANNED']);
  });

  it('that has left, or never agreed on chain, pays nothing', async () => {
    await enrolOther();
    const { leave } = await collection.register(other.address);
    await reserved();
    await collection.local.send(other.privateKey, { to: leave.to as Hex, data: leave.data });
    const before = await sharesOf(other.address);
    const third = desk.universe.accounts[7]!;
    const transfer = { address: vault, abi: erc20Abi, functionName: 'transfer', args: [third.address, before / 2n] };
    await callContract(collection.local, other.privateKey, transfer);
    await collection.register(third.address);
    await collection.next();
    expect(await itemOf(other.address)).toMatchObject({ state: 'SKIPPED', reason: 'Nothing to collect' });
    await collection.due();
    for (let round = 0; round < 3; round += 1) {
      await collection.confirm();
      await collection.next();
    }
    expect(await itemOf(third.address)).toMatchObject({ state: 'SKIPPED', reason: 'Nothing to collect' });
    expect([await sharesOf(other.address), await sharesOf(third.address)]).toEqual([before - before / 2n, before / 2n]);
  });

  it('whose collection costs too much gas is put off, and nothing is sent', async () => {
    await reserved();
    await collection.next({ registry: collection.registryAt(1n) });
    const item = await itemOf(desk.wallet);
    expect(item).toMatchObject({ state: 'PLANNED', reason: 'Nothing was sent: unaffordable' });
    expect(await collection.sentFor(item.id)).toBe(0);
    expect(await received()).toEqual([0n, 0n]);
    expect(BigInt((await withdrawal()).feeCharged)).toBeGreaterThan(0n);
  });

  it('records later shares with the call that it was given, and they pay for their profit as well', async () => {
    const { record, maxBps, isEnrolledOnChain } = await collection.enrol(account);
    expect([maxBps, isEnrolledOnChain]).toEqual([1500, false]);
    await desk.execute(VAULT, LEND);
    await desk.send([record]);
    await vaultChanges(desk, VAULT).earn();
    await collection.due();
    await collection.run();
    for (let round = 0; round < 2; round += 1) {
      await collection.next();
      await collection.confirm();
    }
    const { state, performanceShares, markupShares, priceRay } = await itemOf(desk.wallet);
    expect(state).toBe('CONFIRMED');
    const paid = ((unitsOf(performanceShares) + unitsOf(markupShares)) * unitsOf(priceRay)) / RAY;
    const { feeCharged } = await withdrawal();
    expect(paid).toBeGreaterThan(BigInt(feeCharged) * 10n);
  });
});
