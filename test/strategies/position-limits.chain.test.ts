import { type Address, createPublicClient, custom, type Hex } from 'viem';
import { createJsonRpc } from '../../devnet/json-rpc';
import type { CustomerId } from '../../src/auth/principal';
import { continueWalks } from '../../src/strategies/positions/continue-walks';
import type { PositionDeps } from '../../src/strategies/positions/position-deps';
import { listPositionHistory } from '../../src/strategies/positions/position-history';
import { principalOf } from '../../src/strategies/positions/position-state';
import { createRangeSizes } from '../../src/strategies/positions/range-sizes';
import { type PositionReading, readPosition, readPositions } from '../../src/strategies/positions/read-positions';
import { walkPositions } from '../../src/strategies/positions/walk-positions';
import { until } from '../resilience/until';
import { haltBlocks } from '../setup/universe-of-tests';
import { createPositionWorld, type PositionWorld, STRATEGY_IDS } from './position-world';

const USDC = 1_000_000n;

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

/** A node that takes too long to search more than some blocks. */
const slowLogs = (rpc: PositionDeps['rpc'], maximum: bigint): PositionDeps['rpc'] => ({
  serves: rpc.serves,
  request: (chainId, run) =>
    rpc.request(chainId, ({ transport }) => {
      const request = ({ method, params }: { method: string; params: readonly [{ fromBlock: Hex; toBlock: Hex }] }) => {
        const isSlow = method === 'eth_getLogs' && BigInt(params[0].toBlock) - BigInt(params[0].fromBlock) >= maximum;
        const timeout = new DOMException('no response in time', 'TimeoutError');
        return isSlow ? Promise.reject(timeout) : transport.request({ method, params });
      };
      return run(createPublicClient({ transport: custom({ request }, { retryCount: 0 }) }));
    }),
});

describe('the history of a position', () => {
  it('is read in smaller ranges, for this wallet only, when a search for logs takes too long', async () => {
    const customerId = await world.customer();
    const account = world.universe.accounts[9]!;
    await world.fund(account, 100n * USDC);
    await world.user(account, 'Steady-USDC-devnet').lend(50n * USDC);
    await createJsonRpc(world.local.chain.rpcUrl).call('anvil_mine', ['0x80']);
    const rangeSizes = createRangeSizes();
    const startBlocks = { find: () => Promise.resolve(0n) };
    const slow = { ...world.deps, rangeSizes, startBlocks, rpc: slowLogs(world.deps.rpc, 60n) };
    await read(customerId, 9, { deps: slow });
    for (let count = 0; count < 10; count += 1) await continueWalks(slow, signal());
    const reading = await read(customerId, 9, { deps: slow });
    expect([reading.problem, principalOf(reading.state!)]).toEqual([undefined, 50n * USDC]);
    const { chainId } = reading.strategy.chain;
    const sizes = [9, 1].map((index) => rangeSizes.get({ owner: { customerId, wallet: wallet(index) }, chainId }));
    expect(sizes[0]).toBeLessThan(sizes[1]!);
    expect(sizes[1]).toBe(5000n);
  });

  it('is not read on, and is marked, when it has more changes than are stored', async () => {
    const customerId = await world.customer();
    const account = world.universe.accounts[9]!;
    await world.fund(account, 100n * USDC);
    const user = world.user(account, 'Aave-USDC-devnet');
    for (const amount of [1n, 2n, 3n]) await user.lend(amount * USDC);
    await createJsonRpc(world.local.chain.rpcUrl).call('anvil_mine', ['0x20']);
    const few = { ...world.deps, maxEntries: 2 };
    const reading = await read(customerId, 9, { id: 'Aave-USDC-devnet', deps: few });
    expect([reading.problem, reading.state]).toEqual(['HISTORY_TOO_LONG', undefined]);
    expect(reading.holding.value).toBeGreaterThan(5n * USDC);
    const cursor = await world.test.database.positionCursor.findFirstOrThrow({ where: { customerId } });
    expect(cursor.nextWalkAt).toBeNull();
  });

  it('is read for known strategies while the first block of another one is not found', async () => {
    const owner = { customerId: await world.customer(), wallet: wallet(1) };
    await read(owner.customerId, 1, { id: 'Aave-USDC-devnet' });
    const { database, rpc } = world.deps;
    const readUntil = () => database.positionCursor.findFirstOrThrow({ where: { customerId: owner.customerId } });
    const { nextBlock: before } = await readUntil();
    // So many new blocks that the progress is stored.
    await createJsonRpc(world.local.chain.rpcUrl).call('anvil_mine', ['0x80']);
    const startBlocks = { find: () => new Promise<bigint>(() => undefined) };
    const strategies = STRATEGY_IDS.map((id) => world.strategies.get(id)!.strategy);
    const { chain } = strategies[0]!;
    const head = await rpc.request(chain.chainId, (client) => client.getBlockNumber({ cacheTime: 0 }));
    const ending = new AbortController();
    const request = { owner, chain, strategies, head, maxRanges: 8, readMs: 90_000, signal: ending.signal };
    const walking = walkPositions({ ...world.deps, startBlocks }, request);
    await until('the known position is read', async () => (await readUntil()).nextBlock > before);
    ending.abort();
    expect((await walking).map(({ strategy, isComplete }) => [strategy.row.id, isComplete])).toEqual([
      ['Aave-USDC-devnet', true],
    ]);
  });

  it('is incomplete for new strategies alone when their first block cannot be found', async () => {
    const owner = { customerId: await world.customer(), wallet: wallet(1) };
    await read(owner.customerId, 1, { id: 'Aave-USDC-devnet' });
    const startBlocks = { find: () => Promise.reject<bigint>(new Error('the node is down')) };
    const strategies = STRATEGY_IDS.map((id) => world.strategies.get(id)!.strategy);
    const request = { owner, strategies, includeEmpty: true, signal: signal() };
    const { positions } = await readPositions({ ...world.deps, startBlocks }, request);
    expect(positions.map(({ problem, strategy }) => [strategy.row.id, problem])).toEqual([
      ['Aave-USDC-devnet', undefined],
      ['Steady-USDC-devnet', 'HISTORY_INCOMPLETE'],
      ['Compound-USDC-devnet', 'HISTORY_INCOMPLETE'],
    ]);
  });

  it('has no entry twice when another request stores the recent ones meanwhile', async () => {
    const customerId = await world.customer();
    const account = world.universe.accounts[9]!;
    await world.fund(account, 100n * USDC);
    const resume = await haltBlocks(world.local.chain);
    await world.user(account, 'Steady-USDC-devnet').lend(10n * USDC);
    const reading = await read(customerId, 9);
    expect(reading.recent.length).toBeGreaterThan(0);
    await resume();
    await createJsonRpc(world.local.chain.rpcUrl).call('anvil_mine', ['0x20']);
    await read(customerId, 9);
    const owner = { customerId, wallet: wallet(9) };
    const { data } = await listPositionHistory(world.deps, { owner, reading, page: { limit: 50 } });
    expect(data.length).toBe(reading.total?.entries);
    expect(new Set(data.map(({ txHash }) => txHash)).size).toBe(data.length);
  });
});
