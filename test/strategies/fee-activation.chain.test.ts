import { getAddress, parseUnits } from 'viem';
import { Logger } from 'graphile-worker';
import { prepareJobQueue } from '../../src/jobs/prepare-job-queue';
import { activateFees } from '../../src/strategies/fees/activate-fees';
import { createFeeReader } from '../../src/strategies/fees/customer-fees';
import { readFeePositions } from '../../src/strategies/fees/fee-positions';
import { setStrategyFees } from '../../src/strategies/fees/set-strategy-fees';
import { continueWalks } from '../../src/strategies/positions/continue-walks';
import { readPosition } from '../../src/strategies/positions/read-positions';
import { PROTOCOLS } from '../../src/strategies/protocols/protocols';
import { rejection } from '../swaps/swap-world';
import { strategyChain, type StrategyChain } from './local-strategies';
import { charging, type OperationDesk } from './operation-desk';
import { useOperationDesk } from './use-operation-desk';
import { vaultChanges } from './vault-changes';

const COLLECTOR = getAddress('0x00000000000000000000000000000000000c0111');
const AMOUNT = parseUnits('100', 6);
const VAULT = 'Steady-USDC-devnet';
const NO_FEES = { entryBps: 0, performanceBps: 0, markupBps: 0, collector: undefined };
const LEND = { action: 'lend', amount: AMOUNT.toString() };
const ALL = { action: 'withdraw', amount: 'max' };

let desk: OperationDesk;
let local: StrategyChain;
useOperationDesk((opened) => {
  desk = opened;
  local = strategyChain(desk.universe, desk.devnet);
});
afterEach(async () => {
  await desk.world.database.positionCursor.deleteMany();
  await desk.world.database.unreadPosition.deleteMany();
});

const earn = () => vaultChanges(desk, VAULT).earn();
const shareOf = (gain: bigint, bps: number): bigint => (gain * BigInt(bps)) / 10_000n;

describe('a fee that a customer sets', () => {
  it('is charged from its activation on: earlier profit is free', async () => {
    const { database, url } = desk.world;
    await prepareJobQueue({ url, logger: silentLogger });
    const actor = { customerId: desk.customerId, subject: 'ana', role: 'owner', requestId: 'r' } as const;
    const settings = {
      database,
      strategies: desk.strategies,
      defaults: NO_FEES,
      blockedAddresses: new Set<string>(),
      findContractKind: desk.deps.findContractKind,
    };
    const readFees = createFeeReader({ database, defaults: NO_FEES });
    await desk.execute(VAULT, LEND);
    await earn();
    await local.wait(1);
    const fees = { performanceFeeBps: 1000, feeCollector: COLLECTOR };
    await setStrategyFees(settings, actor, { strategyId: VAULT, ...fees });
    expect(await desk.operate(VAULT, ALL, { readFees })).toMatchObject({ feeCharged: '0' });
    await local.wait(1);
    await local.wait(1);
    const activation = { database, rpc: desk.rpc, strategies: desk.strategies, protocols: PROTOCOLS, log: quietLog };
    expect(await activateFees(activation, AbortSignal.timeout(90_000))).toBe(1);
    const marked = await desk.operate(VAULT, ALL, { readFees });
    // Interest of a few seconds since the mark.
    expect(BigInt(marked.feeCharged)).toBeLessThan(1000n);
    await earn();
    const later = await desk.operate(VAULT, ALL, { readFees });
    const assets = BigInt(later.expected.value) + BigInt(later.feeCharged);
    const strategy = desk.strategies.get(VAULT);
    const owner = { customerId: desk.customerId, wallet: desk.wallet };
    const reading = await readPosition(desk.deps.positions, { owner, strategy, signal: AbortSignal.timeout(90_000) });
    const own = await readFees(desk.customerId);
    const [basis] = await readFeePositions(desk.deps.positions, { owner, readings: [reading], fees: own });
    const { sharePriceRay } = own.of(strategy).marks[0]!;
    const worth = (reading.holding.shares * sharePriceRay) / 10n ** 27n;
    expect(worth).toBeGreaterThan(AMOUNT);
    expect(basis).toEqual({ ...reading.state, cost: worth * 10n ** 18n });
    expect(later.feeCharged).toBe(shareOf(assets - worth, 1000).toString());
    expect(BigInt(later.feeCharged)).toBeGreaterThan(BigInt(marked.feeCharged));
  });
});

describe('a withdrawal whose history could not be read once', () => {
  it('is not free when a worker has read it since, and another read fails', async () => {
    const readFees = charging({ ...NO_FEES, performanceBps: 1000, collector: COLLECTOR, marks: [] });
    await desk.execute(VAULT, LEND);
    await earn();
    expect(await desk.operate(VAULT, ALL, { readFees })).toMatchObject({ feeWaiver: null });
    const positions = { ...desk.deps.positions, walkTimeoutMs: 0 };
    const withdraw = () => rejection(desk.operate(VAULT, ALL, { readFees, positions }));
    await expect(withdraw()).resolves.toMatchObject({ code: 'LENDING_SERVICE_UNAVAILABLE' });
    await desk.world.pool.query(`UPDATE "UnreadPosition" SET since = since - make_interval(mins => 11)`);
    await desk.world.database.positionCursor.updateMany({ data: { nextWalkAt: new Date(0) } });
    expect(await continueWalks(desk.deps.positions, AbortSignal.timeout(90_000))).toBe(1);
    await expect(withdraw()).resolves.toMatchObject({ code: 'LENDING_SERVICE_UNAVAILABLE' });
  });
});

const quietLog = { info: () => undefined, warn: () => undefined };
const silentLogger = new Logger(() => () => undefined);
