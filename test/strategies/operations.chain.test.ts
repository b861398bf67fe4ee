import { parseUnits } from 'viem';
import { AAVE_ADMIN_ABI } from '../../devnet/strategies/aave-abi';
import { AAVE_ADMIN_KEY, AAVE_CONFIGURATOR } from '../../devnet/strategies/aave-market';
import { NATIVE_TOKEN, ZERO_ADDRESS } from '../../src/chains/addresses';
import { readWalletActions } from '../../src/strategies/positions/executed-actions';
import { callContract, strategyChain } from './local-strategies';
import { trackUntil } from '../actions/local-tracker';
import { charging, type OperationDesk, problemOf } from './operation-desk';
import { useOperationDesk } from './use-operation-desk';

const FRIEND = '0x00000000000000000000000000000000000A11cE';
const AMOUNT = parseUnits('100', 6);
const PART = parseUnits('25', 6);
const AAVE = 'Aave-USDC-devnet';
const VAULT = 'Steady-USDC-devnet';
/** Gas units of the user operations of the desk. */
const GAS_OF_OPERATION = 777_000n;
/** What interest of a few blocks adds at most, in base units. */
const ACCRUED = 1000n;

let desk: OperationDesk;
useOperationDesk((opened) => {
  desk = opened;
});

const LEND = { action: 'lend', amount: AMOUNT.toString() };
const usdc = () => desk.balanceOf(desk.token('USDC'));
const receiptOf = (strategyId: string) => desk.strategies.get(strategyId).receipt;

/** Kind and assets of operations, as an overview adds them to positions of earlier blocks. */
async function executed(operations: readonly { readonly operation: { readonly id: string } }[]) {
  const { customerId, wallet } = desk;
  const actions = (await readWalletActions(desk.world, { customerId, wallets: [wallet] })).get(wallet);
  return operations.map(({ operation }) => {
    const found = actions?.executed.find(({ id }) => id === operation.id);
    return [found?.kind, found?.assets];
  });
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
    expect(await executed([deposit, part, rest])).toEqual([
      ['deposit', AMOUNT],
      ['withdrawal', PART],
      ['withdrawal', undefined],
    ]);
  });
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
    expect(await executed([{ operation }])).toEqual([['deposit', minimum]]);
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
    // Its gas is that of the operation, not of the calls alone.
    const { breakdown } = action.fees as { breakdown: { type: string; tokenAmount: string }[] };
    const gas = breakdown.find(({ type }) => type === 'gas');
    expect(BigInt(gas!.tokenAmount) % GAS_OF_OPERATION).toBe(0n);
  });

  it('may be payloads of a custody vault', async () => {
    const operation = await desk.operate(VAULT, { ...LEND, output: 'custody', accountId: '7' });
    expect(operation.custody).toHaveLength(2);
  });

  it('pays the entry fee to its collector, and deposits the rest', async () => {
    const readFees = charging({ entryBps: 25, performanceBps: 0, markupBps: 0, collector: FRIEND, marks: [] });
    const start = await usdc();
    const { operation, action } = await desk.execute(AAVE, LEND, { readFees });
    const fee = (AMOUNT * 25n) / 10_000n;
    expect(operation.feeCharged).toBe(fee.toString());
    expect(await desk.balanceOf(desk.token('USDC'), FRIEND)).toBe(fee);
    expect(start - (await usdc())).toBe(AMOUNT);
    expect(action).toMatchObject({
      amountIn: AMOUNT,
      amountOut: AMOUNT - fee,
      fees: { breakdown: expect.arrayContaining([expect.objectContaining({ type: 'platform', token: 'USDC' })]) },
      steps: [{ kind: 'DEPOSIT' }, { kind: 'TRANSFER' }],
    });
    const [paidUsd, depositedUsd] = [action.amountInUsd, action.amountOutUsd].map(Number);
    expect(depositedUsd! / paidUsd!).toBeCloseTo(0.9975, 6);
  });

  it('that reverts costs no entry fee', async () => {
    const readFees = charging({ entryBps: 25, performanceBps: 0, markupBps: 0, collector: FRIEND, marks: [] });
    const { bytecode } = await desk.operate(AAVE, LEND, { readFees });
    expect(bytecode.map(({ to }) => to)).toEqual([desk.token('USDC'), expect.any(String), desk.token('USDC')]);
    expect(await desk.send(bytecode.slice(1, 2))).toEqual(['reverted']);
    expect(await desk.balanceOf(desk.token('USDC'), FRIEND)).toBe(0n);
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

  it('to the native coin, and a deposit from it, name the coin as the caller does, and their actions by its one address', async () => {
    for (const coin of [ZERO_ADDRESS, NATIVE_TOKEN]) {
      const from = { fromTokenAddress: coin, fromChainId: 'devnet' };
      const deposit = await desk.execute(AAVE, { action: 'lend', amount: parseUnits('0.1', 18).toString(), ...from });
      expect(deposit.operation).toMatchObject({
        quote: { fromTokenAddress: coin, inputAmount: { asset: coin }, toTokenAddress: desk.token('USDC') },
        expected: { asset: receiptOf(AAVE).address },
      });
      expect(deposit.action.tokenIn).toMatchObject({ address: NATIVE_TOKEN });
      const all = { action: 'withdraw', amount: 'max', toTokenAddress: coin };
      const { operation, action } = await desk.execute(AAVE, all);
      expect(operation).toMatchObject({
        quote: { toTokenAddress: coin, outputAmount: { asset: coin }, minimumOutputAmount: { asset: coin } },
        expected: { asset: coin, symbol: 'ETH' },
      });
      expect(action.tokenOut).toMatchObject({ address: NATIVE_TOKEN });
      expect(action.amountOut).toBeGreaterThanOrEqual(BigInt(operation.quote!.minimumOutputAmount.value));
    }
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

describe('a market of Aave', () => {
  const admin = (functionName: string, args: readonly unknown[]) =>
    callContract(strategyChain(desk.universe, desk.devnet), AAVE_ADMIN_KEY, {
      address: AAVE_CONFIGURATOR,
      abi: AAVE_ADMIN_ABI,
      functionName,
      args,
    });

  it('that is paused refuses operations, and fails those whose transactions were built before', async () => {
    await desk.execute(AAVE, LEND);
    const { id, bytecode } = await desk.operate(AAVE, LEND);
    await admin('setReservePause', [desk.token('USDC'), true]);
    expect((await problemOf(desk.operate(AAVE, LEND)))[1]).toBe('DEPOSITS_PAUSED');
    expect((await problemOf(desk.operate(AAVE, { action: 'withdraw', amount: 'max' })))[1]).toBe('WITHDRAWALS_PAUSED');
    expect(await desk.send(bytecode)).toEqual(['success', 'reverted']);
    await trackUntil(desk.tracker, { actionId: id, chainId: desk.devnet.chainId, status: 'FAILED' });
    expect((await desk.readAction(id)).failureReason).toContain('The transaction reverted');
  });

  it('that is full refuses deposits with the largest amount that it accepts', async () => {
    const supply = await desk.totalSupply(receiptOf(AAVE).address);
    await admin('setSupplyCap', [desk.token('USDC'), supply / 10n ** 6n + 50n]);
    const [code, kind, maximum] = await problemOf(desk.operate(AAVE, LEND));
    expect([code, kind]).toEqual(['LENDING_BAD_REQUEST', 'DEPOSIT_LIMIT']);
    expect(BigInt(maximum!)).toBeLessThan(AMOUNT);
    await desk.execute(AAVE, { ...LEND, amount: (BigInt(maximum!) / 2n).toString() });
  });
});
