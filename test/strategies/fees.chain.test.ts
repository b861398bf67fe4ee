import { getAddress, parseUnits } from 'viem';
import { createJsonRpc } from '../../devnet/json-rpc';
import { getAction } from '../../src/actions/get-action';
import type { StrategyFees } from '../../src/strategies/strategy-fees';
import { trackUntil } from '../actions/local-tracker';
import { rpcFailure } from '../../src/rpc/rpc-failure';
import { rejection } from '../swaps/swap-world';
import { strategyChain, type StrategyChain } from './local-strategies';
import { charging, type OperationDesk } from './operation-desk';
import { useOperationDesk } from './use-operation-desk';
import { vaultChanges } from './vault-changes';

const FRIEND = getAddress('0x00000000000000000000000000000000000a11ce');
const COLLECTOR = getAddress('0x00000000000000000000000000000000000c0111');
const PARTNER = getAddress('0x0000000000000000000000000000000000009a27');
const AMOUNT = parseUnits('100', 6);
const AAVE = 'Aave-USDC-devnet';
const VAULT = 'Steady-USDC-devnet';
const DAY = 86_400;
const FEES: StrategyFees = {
  entryBps: 0,
  performanceBps: 1000,
  markupBps: 500,
  collector: COLLECTOR,
  markupRecipient: PARTNER,
  marks: [],
};
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

const waived = 'a fee of a strategy is waived';
const usdc = (owner?: string) => desk.balanceOf(desk.token('USDC'), owner);
const charged = charging(FEES);

const changes = () => vaultChanges(desk, VAULT);
const earn = (amount?: bigint) => changes().earn(amount);

/** Moves the first refused withdrawal into the past. */
const waitFor = (minutes: number) =>
  desk.world.pool.query(`UPDATE "UnreadPosition" SET since = since - make_interval(mins => $1)`, [minutes]);

/** The fees on a gain in base units, each rounded down. */
const shareOf = (gain: bigint, bps: number): bigint => (gain * BigInt(bps)) / 10_000n;

describe.each([AAVE, VAULT, 'Compound-USDC-devnet'])('a withdrawal from %s', (strategyId) => {
  it('pays the performance fee and the markup on its gain, and nothing on its principal', async () => {
    await desk.execute(strategyId, LEND);
    await local.wait(30 * DAY);
    const before = await usdc();
    const { operation, action } = await desk.execute(strategyId, ALL, { readFees: charged });
    const net = BigInt(operation.expected.value);
    const gain = net + BigInt(operation.feeCharged) - AMOUNT;
    expect(gain).toBeGreaterThan(0n);
    const [performance, markup] = [shareOf(gain, 1000), shareOf(gain, 500)];
    expect(operation.feeCharged).toBe((performance + markup).toString());
    const { database } = desk.world;
    const reference = { customerId: desk.customerId, actionId: operation.id };
    const { underlyingAssetFeeValue } = await getAction({ ...desk.deps, database }, reference);
    expect(underlyingAssetFeeValue).toBe(operation.feeCharged);
    expect([await usdc(COLLECTOR), await usdc(PARTNER)]).toEqual([performance, markup]);
    const paid = (await usdc()) - before;
    expect(paid).toBeGreaterThanOrEqual(net);
    expect(action).toMatchObject({
      amountOut: paid,
      fees: {
        breakdown: expect.arrayContaining([
          expect.objectContaining({ type: 'performance', token: 'USDC', tokenAmount: performance.toString() }),
          expect.objectContaining({ type: 'markup', token: 'USDC', tokenAmount: markup.toString() }),
        ]),
      },
      steps: [
        { kind: 'WITHDRAW', status: 'CONFIRMED' },
        { kind: 'TRANSFER', status: 'CONFIRMED' },
        { kind: 'TRANSFER', status: 'CONFIRMED' },
      ],
    });
  });
});

describe('a withdrawal', () => {
  it('without a gain, or of a deployment without fees, has no transfer of a fee', async () => {
    await desk.execute(VAULT, LEND);
    const unchanged = await desk.operate(VAULT, { action: 'withdraw', amount: '1000000' }, { readFees: charged });
    const free = await desk.operate(VAULT, ALL);
    expect([unchanged.feeCharged, unchanged.bytecode.length]).toEqual(['0', 1]);
    expect([free.feeCharged, free.bytecode.length]).toEqual(['0', 1]);
  });

  it('with a fee is refused while a worker of an earlier version runs, which would count the fee as received', async () => {
    await desk.execute(VAULT, LEND);
    await earn();
    await desk.world.database.worker.create({ data: { id: crypto.randomUUID() } });
    const { code } = (await rejection(desk.operate(VAULT, ALL, { readFees: charged }))) as { code: string };
    expect([code, (await desk.operate(VAULT, ALL)).feeCharged]).toEqual(['LENDING_SERVICE_UNAVAILABLE', '0']);
    await desk.world.database.worker.deleteMany();
  });

  it('of a part pays the fee on the gain of that part, so that parts together cost no more than the whole', async () => {
    await desk.execute(VAULT, LEND);
    await earn();
    const whole = await desk.operate(VAULT, ALL, { readFees: charged });
    const half = { action: 'withdraw', amount: (AMOUNT / 2n).toString() };
    const first = await desk.execute(VAULT, half, { readFees: charged });
    const second = await desk.execute(VAULT, ALL, { readFees: charged });
    const parts = BigInt(first.operation.feeCharged) + BigInt(second.operation.feeCharged);
    expect(BigInt(first.operation.feeCharged)).toBeGreaterThan(0n);
    // The price grows between the two by a few units.
    const difference = parts - BigInt(whole.feeCharged);
    expect(difference >= -4n && difference <= 50n).toBe(true);
  });

  it('to another recipient pays the fee first, and the recipient gets the remainder', async () => {
    await desk.execute(VAULT, LEND);
    await earn();
    const before = await usdc();
    const { operation, action } = await desk.execute(
      VAULT,
      { ...ALL, destinationAddress: FRIEND },
      { readFees: charging({ ...FEES, markupRecipient: undefined }) },
    );
    expect(await usdc(FRIEND)).toBe(BigInt(operation.expected.value));
    expect(await usdc(COLLECTOR)).toBe(BigInt(operation.feeCharged));
    // Interest of a few seconds stays in the wallet.
    expect((await usdc()) - before).toBeLessThan(1000n);
    expect(action.amountOut).toBe(await usdc(FRIEND));
    expect(action.steps.map(({ kind, protocol }) => [kind, protocol])).toEqual([
      ['WITHDRAW', 'erc4626'],
      ['TRANSFER', 'fee'],
      ['TRANSFER', 'transfer'],
    ]);
  });

  it('to another token swaps what the fee leaves', async () => {
    await desk.execute(VAULT, LEND);
    await earn();
    const { operation } = await desk.execute(
      VAULT,
      { ...ALL, toTokenAddress: desk.token('WETH') },
      { readFees: charged },
    );
    const sold = BigInt(operation.quote!.inputAmount.value);
    const gain = sold + BigInt(operation.feeCharged) - AMOUNT;
    expect(operation.feeCharged).toBe((shareOf(gain, 1000) + shareOf(gain, 500)).toString());
    expect((await usdc(COLLECTOR)) + (await usdc(PARTNER))).toBe(BigInt(operation.feeCharged));
  });

  it('pays the fee that it was built with, whatever the price is when it is mined, and again built another one', async () => {
    await desk.execute(VAULT, LEND);
    await earn();
    const built = await desk.operate(VAULT, ALL, { readFees: charged });
    await earn(parseUnits('20', 6));
    const before = await usdc();
    const rebuilt = await desk.operate(VAULT, ALL, { readFees: charged });
    await desk.send(built.bytecode);
    expect((await usdc(COLLECTOR)) + (await usdc(PARTNER))).toBe(BigInt(built.feeCharged));
    // What it pays on top belongs to the wallet.
    expect((await usdc()) - before).toBeGreaterThan(BigInt(built.expected.value) + parseUnits('19', 6));
    expect(BigInt(rebuilt.feeCharged)).toBeGreaterThan(BigInt(built.feeCharged) * 2n);
  });

  it('takes a built fee out of the remainder when it pays less than built, and the action shows the shortfall', async () => {
    await desk.execute(VAULT, LEND);
    await earn();
    const { id, bytecode, feeCharged, expected } = await desk.operate(VAULT, ALL, { readFees: charged });
    await changes().lose(parseUnits('9', 6));
    const before = await usdc();
    await desk.send(bytecode);
    await trackUntil(desk.tracker, { actionId: id, chainId: desk.devnet.chainId, status: 'FAILED' });
    const received = (await usdc()) - before;
    expect((await usdc(COLLECTOR)) + (await usdc(PARTNER))).toBe(BigInt(feeCharged));
    expect(received).toBeLessThan(BigInt(expected.value));
    expect(await desk.readAction(id)).toMatchObject({ substatus: 'PARTIAL' });
  });

  it('by a smart account pays its fees in the same user operation', async () => {
    await desk.execute(VAULT, LEND);
    await earn();
    const operation = await desk.operate(VAULT, { ...ALL, output: 'userOperation' }, { readFees: charged });
    expect(operation.userOperation).toMatchObject({ calls: 3 });
    expect((await desk.readAction(operation.id)).steps).toMatchObject([{ kind: 'WITHDRAW' }]);
  });

  it('waits until the history of the position was read: its gain is never guessed', async () => {
    await desk.execute(VAULT, LEND);
    await earn();
    const positions = { ...desk.deps.positions, walkTimeoutMs: 0 };
    const refused = desk.operate(VAULT, ALL, { readFees: charged, positions });
    await expect(rejection(refused)).resolves.toMatchObject({ code: 'LENDING_SERVICE_UNAVAILABLE' });
    expect(await desk.operate(VAULT, ALL, { positions })).toMatchObject({ feeCharged: '0' });
    expect(BigInt((await desk.operate(VAULT, ALL, { readFees: charged })).feeCharged)).toBeGreaterThan(0n);
  });

  it('is possible after ten minutes although the history cannot be read, free of the fee, and states so', async () => {
    await desk.execute(VAULT, LEND);
    await earn();
    const { database } = desk.world;
    const unread = { ...desk.deps.positions, walkTimeoutMs: 0 };
    const withdraw = (positions: OperationDesk['deps']['positions'] = unread) =>
      desk.operate(VAULT, ALL, { readFees: charged, positions });
    await expect(rejection(withdraw())).resolves.toMatchObject({ code: 'LENDING_SERVICE_UNAVAILABLE' });
    await waitFor(9);
    await expect(rejection(withdraw())).resolves.toMatchObject({ code: 'LENDING_SERVICE_UNAVAILABLE' });
    await waitFor(1);
    const free = await withdraw();
    expect(free).toMatchObject({ feeCharged: '0', feeWaiver: 'HISTORY_INCOMPLETE' });
    expect(free.bytecode).toHaveLength(1);
    // A holding that no node shows is no reason to refuse it either.
    const holdings = { rpc: { ...desk.rpc, request: () => Promise.reject(rpcFailure('devnet', new Error('down'))) } };
    expect(await withdraw({ ...unread, ...holdings })).toMatchObject({ feeWaiver: 'HISTORY_INCOMPLETE' });
    // A day later it waits once more, and a history that was read ends the wait.
    await waitFor(24 * 60);
    await expect(rejection(withdraw())).resolves.toMatchObject({ code: 'LENDING_SERVICE_UNAVAILABLE' });
    expect(await withdraw(desk.deps.positions)).toMatchObject({ feeWaiver: null });
    expect(await database.unreadPosition.count()).toBe(0);
  });

  it('waits while the history contradicts the chain, as it does for seconds when a node lags behind', async () => {
    await desk.execute(VAULT, LEND);
    await earn();
    await createJsonRpc(desk.devnet.rpcUrl).call('anvil_mine', ['0x20']);
    const withdraw = () => desk.operate(VAULT, ALL, { readFees: charged });
    expect(await withdraw()).toMatchObject({ feeWaiver: null });
    await desk.world.database.positionCursor.updateMany({ data: { shares: '12345' } });
    await expect(rejection(withdraw())).resolves.toMatchObject({ code: 'LENDING_SERVICE_UNAVAILABLE' });
    await waitFor(10);
    expect(await withdraw()).toMatchObject({ feeCharged: '0', feeWaiver: 'HISTORY_CONTRADICTED' });
  });

  it('is possible although the token bars a recipient of its fees, and pays the others', async () => {
    await desk.execute(VAULT, LEND);
    await earn();
    await changes().bar(COLLECTOR);
    const fields = { ...ALL, destinationAddress: FRIEND };
    const log = { warn: jest.fn(), error: jest.fn() };
    const positions = { ...desk.deps.positions, log };
    const { operation } = await desk.execute(VAULT, fields, { readFees: charged, positions });
    expect(operation.feeWaiver).toBe('RECIPIENT_REFUSED');
    expect(log.warn.mock.calls).toMatchObject([[{ reason: 'RECIPIENT_REFUSED', recipient: COLLECTOR }, waived]]);
    expect([await usdc(COLLECTOR), await usdc(PARTNER)]).toEqual([0n, BigInt(operation.feeCharged)]);
    expect(await usdc(PARTNER)).toBeGreaterThan(0n);
    expect(await usdc(FRIEND)).toBe(BigInt(operation.expected.value));
    const entry = charging({ ...FEES, entryBps: 100 });
    const deposit = await desk.operate(VAULT, LEND, { readFees: entry });
    expect(deposit).toMatchObject({ feeCharged: '0', feeWaiver: 'RECIPIENT_REFUSED' });
  });

  it('pays no fee to a recipient that is blocked, or turned out to be a contract that loses tokens, since it was set', async () => {
    await desk.execute(VAULT, LEND);
    await earn();
    const screened = async (fields: Record<string, string>, changes: Partial<OperationDesk['deps']>) => {
      const { feeCharged, feeWaiver } = await desk.operate(VAULT, fields, { readFees: charged, ...changes });
      return [BigInt(feeCharged), feeWaiver] as const;
    };
    const [all] = await screened(ALL, {});
    const [performance, waiver] = await screened(ALL, { blockedAddresses: new Set([PARTNER.toLowerCase()]) });
    expect([performance > (all * 3n) / 5n, performance < (all * 3n) / 4n, waiver]).toEqual([
      true,
      true,
      'RECIPIENT_BLOCKED',
    ]);
    const findContractKind = () => Promise.resolve('pool' as const);
    const log = { warn: jest.fn(), error: jest.fn() };
    const positions = { ...desk.deps.positions, log };
    expect(await screened(ALL, { findContractKind, positions })).toEqual([0n, 'RECIPIENT_BLOCKED']);
    expect(log.warn.mock.calls).toMatchObject([
      [{ recipient: COLLECTOR }, waived],
      [{ recipient: PARTNER }, waived],
    ]);
    const readFees = charging({ ...FEES, entryBps: 100 });
    expect(await screened(LEND, { readFees, blockedAddresses: new Set([COLLECTOR]) })).toEqual([
      0n,
      'RECIPIENT_BLOCKED',
    ]);
  });

  it('is free when the history of the position can never be complete', async () => {
    await desk.execute(VAULT, LEND);
    await earn();
    const log = { warn: jest.fn(), error: jest.fn() };
    const positions = { ...desk.deps.positions, maxEntries: 1, log };
    const operation = await desk.operate(VAULT, ALL, { readFees: charged, positions });
    expect(log.warn.mock.calls).toMatchObject([[{ reason: 'HISTORY_TOO_LONG', strategyId: VAULT }, waived]]);
    expect([operation.feeCharged, operation.bytecode.length]).toEqual(['0', 1]);
    expect(operation.feeWaiver).toBe('HISTORY_TOO_LONG');
  });
});
