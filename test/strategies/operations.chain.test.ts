import { parseUnits } from 'viem';
import { catchUp, trackUntil } from '../actions/local-tracker';
import { OPEN_LIMITS } from '../setup/open-limits';
import { haltBlocks, snapshotOf } from '../setup/universe-of-tests';
import { rejection } from '../swaps/swap-world';
import { createActionStarter } from '../../src/actions/start-action';
import type { CustomerId } from '../../src/auth/principal';
import { uuidV7 } from '../../src/persistence/uuid-v7';
import { serviceError } from '../../src/errors/service-error';
import { type OperationDesk, openOperationDesk } from './operation-desk';

const FRIEND = '0x00000000000000000000000000000000000A11cE';
const AMOUNT = parseUnits('100', 6);
const PART = parseUnits('25', 6);
const AAVE = 'Aave-USDC-devnet';
const VAULT = 'Steady-USDC-devnet';
/** What interest of a few blocks adds at most, in base units. */
const ACCRUED = 1000n;

let desk: OperationDesk;
let revert: () => Promise<void>;
beforeAll(async () => {
  desk = await openOperationDesk();
  await catchUp(desk.tracker, desk.devnet.chainId);
}, 60_000);
afterAll(() => desk.close());
beforeEach(async () => {
  revert = await snapshotOf(desk.devnet);
});
afterEach(() => revert());

const LEND = { action: 'lend', amount: AMOUNT.toString() };
const usdc = () => desk.balanceOf(desk.token('USDC'));
const receiptOf = (strategyId: string) => desk.strategies.get(strategyId).receipt;

/** The code and the kind of problem that an operation is refused with. */
async function problemOf(operating: Promise<unknown>) {
  const error = (await rejection(operating)) as { code: string; details?: { kind?: string; maximum?: string } };
  return [error.code, error.details?.kind, error.details?.maximum];
}

describe.each([AAVE, VAULT, 'Gated-USDC-devnet', 'ExitFee-USDC-devnet', 'Compound-USDC-devnet'])('%s', (strategyId) => {
  it('takes exactly the deposit, pays exactly the withdrawal, and leaves nothing when everything is withdrawn', async () => {
    const start = await usdc();
    const deposit = await desk.execute(strategyId, LEND);
    expect(start - (await usdc())).toBe(AMOUNT);
    expect(deposit.operation).toMatchObject({ quote: null, feeCharged: '0', simulation: { status: 'SUCCESS' } });
    expect(deposit.action).toMatchObject({
      type: 'SAMECHAIN_INVESTMENT_DEPOSIT',
      strategyId,
      strategySlug: strategyId.toLowerCase(),
      amountIn: AMOUNT,
      steps: [{ kind: 'DEPOSIT', operator: 'USER', status: 'CONFIRMED' }],
    });
    const promised = BigInt(deposit.operation.expected.value);
    const difference = promised - deposit.action.amountOut;
    expect(difference <= 1n + promised / 100_000n && difference >= -1n - promised / 100_000n).toBe(true);

    const before = await usdc();
    const part = await desk.execute(strategyId, { action: 'withdraw', amount: PART.toString() });
    expect((await usdc()) - before).toBe(PART);
    expect(part.action).toMatchObject({
      type: 'SAMECHAIN_INVESTMENT_WITHDRAW',
      amountOut: PART,
      steps: [{ kind: 'WITHDRAW', status: 'CONFIRMED' }],
    });

    const middle = await usdc();
    const rest = await desk.execute(strategyId, { action: 'withdraw', amount: 'max' });
    const paid = (await usdc()) - middle;
    const quoted = BigInt(rest.operation.expected.value);
    expect(paid >= quoted && paid <= quoted + ACCRUED).toBe(true);
    expect(rest.action.amountOut).toBe(paid);
    expect(await desk.balanceOf(receiptOf(strategyId).address)).toBe(0n);
  }, 60_000);
});

describe('a deposit', () => {
  it('belongs to the wallet that it names, and its calls end with the id of the action', async () => {
    const { operation, action } = await desk.execute(AAVE, { ...LEND, destinationAddress: FRIEND });
    expect(action.receiverAddress).toBe(FRIEND);
    expect(await desk.balanceOf(receiptOf(AAVE).address, FRIEND)).toBeGreaterThanOrEqual(AMOUNT);
    const [approval, deposit] = operation.bytecode;
    expect(operation.bytecode).toHaveLength(2);
    expect(approval?.data.startsWith('0x095ea7b3')).toBe(true);
    expect(deposit?.data.endsWith(operation.id.replaceAll('-', ''))).toBe(true);
  });

  it('after another one has the amount without the interest that the token credits', async () => {
    await desk.execute(AAVE, LEND);
    const { action } = await desk.execute(AAVE, LEND);
    expect(action.amountOut).toBe(AMOUNT);
  });

  it('from another token is a swap and a deposit of its minimum, in one action', async () => {
    const weth = desk.token('WETH');
    const amount = parseUnits('0.1', 18);
    const [held, start] = [await desk.balanceOf(weth), await usdc()];
    const { operation, action } = await desk.execute(AAVE, {
      action: 'lend',
      amount: amount.toString(),
      fromTokenAddress: weth,
      fromChainId: 'devnet',
    });
    expect(held - (await desk.balanceOf(weth))).toBe(amount);
    expect(operation.quote).toMatchObject({
      fromTokenAddress: weth,
      fromChainId: '31337',
      inputAmount: { value: amount.toString(), symbol: 'WETH' },
      toTokenAddress: desk.token('USDC'),
    });
    const minimum = BigInt(operation.quote!.minimumOutputAmount.value);
    expect(action).toMatchObject({
      amountIn: amount,
      amountOut: minimum,
      steps: [
        { kind: 'SWAP', status: 'CONFIRMED' },
        { kind: 'DEPOSIT', status: 'CONFIRMED' },
      ],
    });
    // What the swap brings above its minimum stays in the wallet.
    expect(await usdc()).toBeGreaterThanOrEqual(start);
  });

  it('is one user operation of a smart account, with a step for all calls', async () => {
    const fields = { fromTokenAddress: desk.token('WETH'), fromChainId: 'devnet', output: 'userOperation' };
    const operation = await desk.operate(VAULT, {
      action: 'lend',
      amount: parseUnits('0.1', 18).toString(),
      ...fields,
    });
    expect(operation.userOperation).toMatchObject({ sender: desk.wallet, calls: operation.bytecode.length });
    const action = await desk.readAction(operation.id);
    expect(action.steps).toMatchObject([{ kind: 'DEPOSIT' }]);
    expect(action.calls).toMatchObject([{ form: 'USER_OPERATION', stepIndex: 0 }]);
  });

  it('may be payloads of a custody vault', async () => {
    const operation = await desk.operate(VAULT, { ...LEND, output: 'custody', accountId: '7' });
    expect(operation.custody).toHaveLength(2);
  });

  it('pays the entry fee to its collector, and deposits the rest', async () => {
    const fees = { entryBps: 25, performanceBps: 0, markupBps: 0, collector: FRIEND };
    const start = await usdc();
    const { operation, action } = await desk.execute(AAVE, LEND, { fees });
    const fee = (AMOUNT * 25n) / 10_000n;
    expect(operation.feeCharged).toBe(fee.toString());
    expect(await desk.balanceOf(desk.token('USDC'), FRIEND)).toBe(fee);
    expect(start - (await usdc())).toBe(AMOUNT);
    expect(action).toMatchObject({
      amountIn: AMOUNT,
      amountOut: AMOUNT - fee,
      fees: { breakdown: expect.arrayContaining([expect.objectContaining({ type: 'platform', token: 'USDC' })]) },
      steps: [{ kind: 'TRANSFER' }, { kind: 'DEPOSIT' }],
    });
  });

  it('needs no approval when the allowance suffices', async () => {
    const { bytecode } = await desk.operate(VAULT, LEND);
    await desk.send(bytecode.slice(0, 1));
    expect((await desk.operate(VAULT, LEND)).bytecode).toHaveLength(1);
  });
});

describe('a withdrawal', () => {
  it('by shares redeems exactly these', async () => {
    await desk.execute(VAULT, LEND);
    const { address } = receiptOf(VAULT);
    const shares = (await desk.balanceOf(address)) / 3n;
    const before = await desk.balanceOf(address);
    await desk.execute(VAULT, { action: 'withdraw', amountInShares: shares.toString() });
    expect(before - (await desk.balanceOf(address))).toBe(shares);
  });

  it('to another token is a withdrawal and a swap, and pays the recipient', async () => {
    await desk.execute(AAVE, LEND);
    const weth = desk.token('WETH');
    const { operation, action } = await desk.execute(AAVE, {
      action: 'withdraw',
      amount: 'max',
      toTokenAddress: weth,
      destinationAddress: FRIEND,
    });
    const received = await desk.balanceOf(weth, FRIEND);
    expect(received).toBeGreaterThanOrEqual(BigInt(operation.quote!.minimumOutputAmount.value));
    expect(action).toMatchObject({
      amountOut: received,
      steps: [
        { kind: 'WITHDRAW', status: 'CONFIRMED' },
        { kind: 'SWAP', status: 'CONFIRMED' },
      ],
    });
    expect(await desk.balanceOf(receiptOf(AAVE).address)).toBe(0n);
  });

  it('that reverts on chain fails its action', async () => {
    await desk.execute(VAULT, LEND);
    const all = { action: 'withdraw', amount: 'max' };
    const [first, second] = [await desk.operate(VAULT, all), await desk.operate(VAULT, all)];
    expect(await desk.send(first.bytecode)).toEqual(['success']);
    expect(await desk.send(second.bytecode)).toEqual(['reverted']);
    await trackUntil(desk.tracker, { actionId: second.id, chainId: desk.devnet.chainId, status: 'FAILED' });
    const action = await desk.readAction(second.id);
    expect(action.failureReason).toMatch(/reverted/i);
  });
});

describe('an operation', () => {
  it('is refused with the reason and the largest amount', async () => {
    const held = await usdc();
    expect(await problemOf(desk.operate(AAVE, { ...LEND, amount: (held + 1n).toString() }))).toEqual([
      'LENDING_BAD_REQUEST',
      'BALANCE',
      held.toString(),
    ]);
    expect(await problemOf(desk.operate(AAVE, { action: 'withdraw', amount: '5' }))).toEqual([
      'LENDING_BAD_REQUEST',
      'BALANCE',
      '0',
    ]);
    const weth = { fromTokenAddress: desk.token('WETH'), fromChainId: 'devnet' };
    const tooMuch = { action: 'lend', amount: (10n ** 24n).toString(), ...weth };
    expect((await problemOf(desk.operate(AAVE, tooMuch)))[0]).toMatch(
      /^(LENDING_BAD_REQUEST|QUOTE_GENERATION_FAILED)$/,
    );
  });

  it('is refused on a strategy whose deposits the deployment has paused, while withdrawals go on', async () => {
    await desk.execute(VAULT, LEND);
    const strategies = {
      get: (name: string) => {
        const strategy = desk.strategies.get(name);
        return { ...strategy, row: { ...strategy.row, paused: true } };
      },
    };
    expect((await problemOf(desk.operate(VAULT, LEND, { strategies })))[1]).toBe('DEPOSITS_PAUSED');
    const withdrawal = await desk.operate(VAULT, { action: 'withdraw', amount: 'max' }, { strategies });
    expect(withdrawal.bytecode).toHaveLength(1);
  });

  it('from a token that cannot be swapped is FROM_TOKEN_NOT_SUPPORTED', async () => {
    const fields = { ...LEND, fromTokenAddress: FRIEND, fromChainId: 'devnet' };
    expect((await problemOf(desk.operate(AAVE, fields)))[0]).toBe('FROM_TOKEN_NOT_SUPPORTED');
  });

  it('from or to another chain is refused in words', async () => {
    const from = { ...LEND, fromTokenAddress: FRIEND, fromChainId: 'base' };
    const to = { action: 'withdraw', amount: 'max', toTokenAddress: FRIEND, toChainId: 'base' };
    for (const fields of [from, to])
      expect(await problemOf(desk.operate(AAVE, fields))).toEqual([
        'LENDING_BAD_REQUEST',
        'CROSS_CHAIN_NOT_SUPPORTED',
        undefined,
      ]);
  });

  it.each([
    ['the wallet', {}, () => desk.wallet],
    ['the recipient', { destinationAddress: FRIEND }, () => FRIEND],
    ['the token', { fromTokenAddress: FRIEND, fromChainId: 'devnet' }, () => FRIEND],
  ])('of a blocked address is FORBIDDEN: %s', async (_, fields, blocked) => {
    const changes = { blockedAddresses: new Set([blocked()]) };
    expect((await problemOf(desk.operate(AAVE, { ...LEND, ...fields }, changes)))[0]).toBe('FORBIDDEN');
  });

  it('to a contract where tokens are lost is refused', async () => {
    const fields = { ...LEND, destinationAddress: desk.token('WETH') };
    expect((await problemOf(desk.operate(AAVE, fields)))[0]).toBe('VALIDATION_ERROR');
  });

  it('of a strategy whose chain does not respond is LENDING_SERVICE_UNAVAILABLE', async () => {
    const down = (): Promise<never> => Promise.reject(providerDown());
    const rpc = { ...desk.deps.rpc, multicall: down };
    for (const fields of [LEND, { action: 'withdraw', amount: 'max' }])
      expect((await problemOf(desk.operate(AAVE, fields, { rpc })))[0]).toBe('LENDING_SERVICE_UNAVAILABLE');
  });

  it('of an unknown strategy is STRATEGY_NOT_FOUND, and ids are found in any case', async () => {
    expect((await problemOf(desk.operate('Nowhere-USDC-devnet', LEND)))[0]).toBe('STRATEGY_NOT_FOUND');
    expect((await desk.operate(AAVE.toUpperCase(), LEND)).strategyId).toBe(AAVE);
  });

  it('of a customer at the limit of open actions is refused', async () => {
    const limits = { ...OPEN_LIMITS, openActions: 1 };
    const { assertMayOpen } = createActionStarter({ database: desk.world.database, limits });
    await desk.operate(AAVE, LEND);
    expect((await problemOf(desk.operate(AAVE, LEND, { assertMayOpen })))[0]).toBe('RATE_LIMIT_EXCEEDED');
  });
});

const providerDown = () => serviceError('PROVIDER_UNAVAILABLE', { provider: 'devnet', reason: 'HTTP 500' });

describe('the pending actions of a wallet', () => {
  it('are those that were sent and have not ended, for their own customer alone', async () => {
    const { id, bytecode } = await desk.operate(VAULT, LEND);
    expect(await desk.pending(VAULT)).toMatchObject({ hasPending: false, actions: [] });
    const resume = await haltBlocks(desk.devnet);
    await desk.send(bytecode);
    await trackUntil(desk.tracker, { actionId: id, chainId: desk.devnet.chainId, status: 'PENDING' });
    expect(await desk.pending(VAULT)).toMatchObject({
      strategyId: VAULT,
      wallet: desk.wallet,
      hasPending: true,
      message: 'One action is pending',
      actions: [
        {
          id,
          type: 'SAMECHAIN_INVESTMENT_DEPOSIT',
          status: 'PENDING',
          currentStep: 0,
          steps: [{ stepIndex: 0, legs: [{ kind: 'APPROVAL' }, { kind: 'DEPOSIT', operator: 'USER' }] }],
        },
      ],
    });
    expect(await desk.pending(AAVE)).toMatchObject({ hasPending: false });
    expect(await desk.pending(VAULT, uuidV7() as CustomerId)).toMatchObject({ hasPending: false });
    await resume();
    await trackUntil(desk.tracker, { actionId: id, chainId: desk.devnet.chainId, status: 'SUCCESS' });
    expect(await desk.pending(VAULT)).toMatchObject({ hasPending: false, message: 'No action is pending' });
  });
});
