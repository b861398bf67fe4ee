import { encodeFunctionData, erc20Abi, type Address } from 'viem';
import { createJsonRpc } from '../../devnet/json-rpc';
import type { CustomerId } from '../../src/auth/principal';
import { continueWalks } from '../../src/strategies/positions/continue-walks';
import type { PositionDeps } from '../../src/strategies/positions/position-deps';
import { listPositionHistory } from '../../src/strategies/positions/position-history';
import {
  cumulativeProfitOf,
  principalOf,
  profitOf,
  realizedProfitOf,
} from '../../src/strategies/positions/position-state';
import { type PositionReading, readPosition, readPositions } from '../../src/strategies/positions/read-positions';
import { haltBlocks, snapshotOf } from '../setup/universe-of-tests';
import { createPositionWorld, positionDeps, type PositionWorld, STRATEGY_IDS } from './position-world';

const USDC = 1_000_000n;
const DAY = 86_400;

let world: PositionWorld;
beforeAll(async () => {
  world = await createPositionWorld();
});
afterAll(() => world.test.drop());

const signal = () => AbortSignal.timeout(90_000);
const wallet = (index: number): Address => world.universe.accounts[index]!.address;

const read = (
  customerId: CustomerId,
  index: number,
  { id = 'Steady-USDC-devnet', deps = world.deps }: { readonly id?: string; readonly deps?: PositionDeps } = {},
): Promise<PositionReading> =>
  readPosition(deps, {
    owner: { customerId, wallet: wallet(index) },
    strategy: world.strategies.get(id)!.strategy,
    signal: signal(),
  });

/** Moves the receipt tokens of a wallet to another one. */
async function transfer(id: string, [from, to]: readonly [number, number], amount: bigint): Promise<void> {
  const { receipt } = world.strategies.get(id)!.strategy;
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [wallet(to), amount] });
  await world.local.send(world.universe.accounts[from]!.privateKey, { to: receipt.address as Address, data });
}

describe.each(STRATEGY_IDS)('a position in %s', (id) => {
  it('has its cost and profit over deposits made elsewhere, accrual, withdrawals, a full exit and a new begin', async () => {
    const customerId = await world.customer();
    const account = world.universe.accounts[1]!;
    await world.fund(account, 10_000n * USDC);
    const user = world.user(account, id);
    await user.lend(1000n * USDC);
    const opened = await read(customerId, 1, { id });
    expect([opened.problem, principalOf(opened.state!)]).toEqual([undefined, 1000n * USDC]);
    await world.local.wait(15 * DAY);
    const grown = await read(customerId, 1, { id });
    expect(profitOf(grown.state!, grown.holding.value)).toBeGreaterThan(USDC / 2n);
    const first = await user.withdraw({ kind: 'assets', assets: 400n * USDC });
    await user.lend(250n * USDC);
    await world.local.wait(15 * DAY);
    const later = await read(customerId, 1, { id });
    const netPaidIn = 1250n * USDC - first.received;
    expect(later.state).toMatchObject({ shares: later.holding.shares, netPaidIn });
    const { state, holding } = later;
    expect(cumulativeProfitOf(state!, holding.value)).toBe(holding.value - netPaidIn);
    expect(profitOf(state!, holding.value) + realizedProfitOf(state!)).toBe(cumulativeProfitOf(state!, holding.value));
    expect(realizedProfitOf(state!)).toBeGreaterThan(0n);
    const exit = await user.withdraw({ kind: 'all' });
    const left = await read(customerId, 1, { id });
    expect([left.problem, left.holding.shares, principalOf(left.state!)]).toEqual([undefined, 0n, 0n]);
    expect(realizedProfitOf(left.state!)).toBe(exit.received - netPaidIn);
    await user.lend(70n * USDC);
    const again = await read(customerId, 1, { id });
    expect([principalOf(again.state!), again.total?.entries]).toEqual([70n * USDC, 5]);
    expect(realizedProfitOf(again.state!)).toBe(exit.received - netPaidIn);
  });

  it('moves its worth with a transfer, so that the net deposits of both wallets together stay', async () => {
    const customerId = await world.customer();
    const account = world.universe.accounts[2]!;
    await world.fund(account, 1000n * USDC);
    await world.user(account, id).lend(600n * USDC);
    await world.local.wait(5 * DAY);
    const before = await read(customerId, 2, { id });
    await transfer(id, [2, 3], before.holding.receiptBalance / 3n);
    const [sender, recipient] = [await read(customerId, 2, { id }), await read(customerId, 3, { id })];
    expect([sender.problem, recipient.problem]).toEqual([undefined, undefined]);
    expect(sender.state!.netPaidIn + recipient.state!.netPaidIn).toBe(before.state!.netPaidIn);
    expect(sender.state!.shares + recipient.state!.shares - before.state!.shares).toBeLessThanOrEqual(1n);
    expect(principalOf(recipient.state!)).toBeGreaterThan(199n * USDC);
  });
});

describe('the history of a position', () => {
  it('has every change with its block, the newest first, page by page', async () => {
    const customerId = await world.customer();
    const account = world.universe.accounts[4]!;
    await world.fund(account, 100n * USDC);
    const user = world.user(account, 'Steady-USDC-devnet');
    const hashes = [await user.lend(10n * USDC), await user.lend(20n * USDC), await user.lend(30n * USDC)];
    const reading = await read(customerId, 4);
    const owner = { customerId, wallet: wallet(4) };
    const pages = await Promise.all(
      [1, 2].map((page) => listPositionHistory(world.deps, { owner, reading, page: { page, limit: 2 } })),
    );
    const entries = pages.flatMap(({ data }) => data);
    expect(entries.map(({ txHash, amount, kind }) => [txHash, amount?.value, kind])).toEqual([
      [hashes[2], (30n * USDC).toString(), 'deposit'],
      [hashes[1], (20n * USDC).toString(), 'deposit'],
      [hashes[0], (10n * USDC).toString(), 'deposit'],
    ]);
    expect(pages[0]?.pagination).toEqual({ page: 1, limit: 2, total: 3, totalPages: 2, hasMore: true });
  });

  it('is read on by a worker after a first response that is marked as incomplete, with the value but without a profit', async () => {
    const customerId = await world.customer();
    const account = world.universe.accounts[5]!;
    await world.fund(account, 100n * USDC);
    await world.user(account, 'Steady-USDC-devnet').lend(50n * USDC);
    await createJsonRpc(world.local.chain.rpcUrl).call('anvil_mine', ['0x80']);
    const slow = {
      ...world.deps,
      rangeSizes: { get: () => 4n, accepted: () => undefined, refused: () => undefined },
      startBlocks: { find: () => Promise.resolve(0n) },
    };
    const first = await read(customerId, 5, { deps: slow });
    expect([first.problem, first.state]).toEqual(['HISTORY_INCOMPLETE', undefined]);
    expect(first.holding.value).toBeGreaterThan(49n * USDC);
    expect(await continueWalks(world.deps, signal())).toBeGreaterThan(0);
    const cursor = await world.test.database.positionCursor.findFirstOrThrow({ where: { customerId } });
    expect(cursor).toMatchObject({ isComplete: true, nextWalkAt: null });
    expect(principalOf((await read(customerId, 5)).state!)).toBe(50n * USDC);
  });

  it('forgets a deposit whose block was replaced before it was final, and stores nothing of it', async () => {
    const customerId = await world.customer();
    const account = world.universe.accounts[6]!;
    await world.fund(account, 100n * USDC);
    const user = world.user(account, 'Steady-USDC-devnet');
    await user.lend(10n * USDC);
    const resume = await haltBlocks(world.local.chain);
    const revert = await snapshotOf(world.local.chain);
    await user.lend(20n * USDC);
    const before = await read(customerId, 6);
    expect(principalOf(before.state!)).toBe(30n * USDC);
    await revert();
    const after = await read(customerId, 6);
    expect([after.problem, principalOf(after.state!)]).toEqual([undefined, 10n * USDC]);
    await resume();
  });

  it('starts anew when a final block is no longer part of the chain', async () => {
    const customerId = await world.customer();
    const account = world.universe.accounts[7]!;
    await world.fund(account, 100n * USDC);
    await world.user(account, 'Steady-USDC-devnet').lend(10n * USDC);
    await createJsonRpc(world.local.chain.rpcUrl).call('anvil_mine', ['0x20']);
    await read(customerId, 7);
    const where = { customerId };
    const wrong = { lastHash: `0x${'77'.repeat(32)}`, cost: '5', netPaidIn: '5' };
    await world.test.database.positionCursor.updateMany({ where, data: wrong });
    const after = await read(customerId, 7);
    expect([after.problem, principalOf(after.state!), after.total?.entries]).toEqual([undefined, 10n * USDC, 1]);
  });

  it('never shows a profit that contradicts the shares on the chain, and reads everything again', async () => {
    const customerId = await world.customer();
    const account = world.universe.accounts[8]!;
    await world.fund(account, 100n * USDC);
    await world.user(account, 'Steady-USDC-devnet').lend(10n * USDC);
    await createJsonRpc(world.local.chain.rpcUrl).call('anvil_mine', ['0x20']);
    await read(customerId, 8);
    const where = { customerId };
    await world.test.database.positionCursor.updateMany({ where, data: { shares: '12345' } });
    const wrong = await read(customerId, 8);
    expect([wrong.problem, wrong.state]).toEqual(['HISTORY_CONTRADICTED', undefined]);
    const longAgo = new Date(Date.now() - 3_600_000);
    await world.test.database.positionCursor.updateMany({ where, data: { mismatchedAt: longAgo } });
    expect((await read(customerId, 8)).state).toBeUndefined();
    const healed = await read(customerId, 8);
    expect([healed.problem, principalOf(healed.state!)]).toEqual([undefined, 10n * USDC]);
  });

  it('is kept for each customer, and gives way when a customer has too many', async () => {
    const [one, other] = [await world.customer(), await world.customer()];
    const few = { ...world.deps, maxStoredPositions: 2 };
    for (const index of [1, 2, 3]) await read(one, index, { id: 'Aave-USDC-devnet', deps: few });
    await read(other, 1, { id: 'Aave-USDC-devnet', deps: few });
    const wallets = async (customerId: CustomerId) =>
      (await world.test.database.positionCursor.findMany({ where: { customerId } })).map((row) => row.wallet).sort();
    expect(await wallets(one)).toEqual([wallet(2), wallet(3)].sort());
    expect(await wallets(other)).toEqual([wallet(1)]);
  });
});

describe('the positions of a wallet', () => {
  it('are only those that it holds, and have no error for the others', async () => {
    // A wallet of its own: the node keeps the states of the last blocks only.
    const account = world.universe.accounts[9]!;
    await world.fund(account, 100n * USDC);
    for (const id of STRATEGY_IDS) await world.user(account, id).lend(10n * USDC);
    const owner = { customerId: await world.customer(), wallet: wallet(9) };
    const strategies = world.deps.strategies.all();
    const request = { owner, strategies, includeEmpty: false, signal: signal() };
    const { positions, failures } = await readPositions(world.deps, request);
    expect(positions.map(({ strategy }) => strategy.row.id)).toEqual([...STRATEGY_IDS]);
    expect(failures).toEqual([]);
    expect(positions.map(({ problem }) => problem)).toEqual(positions.map(() => undefined));
    for (const { total, holding } of positions) {
      // The sum of the changes, which the shares of the chain have not replaced.
      const difference = total!.state.shares - holding.shares;
      expect(difference <= BigInt(total!.entries) && -difference <= BigInt(total!.entries)).toBe(true);
      expect(total!.state.shares).toBeGreaterThan(0n);
    }
  });

  it('fail with a clear error for a chain that does not respond', async () => {
    const owner = { customerId: await world.customer(), wallet: wallet(1) };
    const deps = positionDeps(world, 'http://127.0.0.1:9');
    const strategies = deps.strategies.all();
    const read = await readPositions(deps, { owner, strategies, includeEmpty: false, signal: signal() });
    expect(read.positions).toEqual([]);
    expect(read.failures.map(({ error, strategies: failed }) => [error.code, failed.length])).toEqual([
      ['LENDING_SERVICE_UNAVAILABLE', strategies.length],
    ]);
  });
});
