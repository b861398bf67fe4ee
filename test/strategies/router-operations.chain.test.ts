import { decodeFunctionData, getAddress, type Hex, parseUnits } from 'viem';
import { createJsonRpc } from '../../devnet/json-rpc';
import { STRATEGY_ROUTER_ADDRESS } from '../../src/chains/strategy-router';
import { readPosition } from '../../src/strategies/positions/read-positions';
import { ROUTER_ABI } from '../../src/strategies/router/router-abi';
import type { StrategyFees } from '../../src/strategies/strategy-fees';
import { rpcFailure } from '../../src/rpc/rpc-failure';
import { trackUntil } from '../actions/local-tracker';
import { strategyChain, type StrategyChain } from './local-strategies';
import { charging, type OperationDesk, problemOf } from './operation-desk';
import { type WithdrawalTerms, withdrawalData } from './router-world';
import { useOperationDesk } from './use-operation-desk';
import { vaultChanges } from './vault-changes';

const ROUTER = STRATEGY_ROUTER_ADDRESS;
const FRIEND = getAddress('0x00000000000000000000000000000000000a11ce');
const COLLECTOR = getAddress('0x00000000000000000000000000000000000c0111');
const PARTNER = getAddress('0x0000000000000000000000000000000000009a27');
const AMOUNT = parseUnits('100', 6);
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
useOperationDesk(
  (opened) => {
    desk = opened;
    local = strategyChain(desk.universe, desk.devnet);
  },
  { isRouted: true },
);
afterEach(async () => {
  await desk.world.database.positionCursor.deleteMany();
  await desk.world.database.unreadPosition.deleteMany();
});

const usdc = (owner?: string) => desk.balanceOf(desk.token('USDC'), owner);
const charged = charging(FEES);
const entry = charging({ ...FEES, entryBps: 25 });
const receiptOf = (strategyId: string) => desk.strategies.get(strategyId).receipt.address;
const earn = () => vaultChanges(desk, VAULT).earn();
const shareOf = (gain: bigint, bps: number): bigint => (gain * BigInt(bps)) / 10_000n;
const targetsOf = ({ bytecode }: { readonly bytecode: readonly { readonly to: string }[] }) =>
  bytecode.map(({ to }) => to);
/** The arguments of a call of the router. */
const termsOf = (data: Hex) => decodeFunctionData({ abi: ROUTER_ABI, data }).args[0];

/** Kinds and assets of the changes of the wallet's position. */
async function historyOf(strategyId: string) {
  const { customerId, wallet } = desk;
  const strategy = desk.strategies.get(strategyId);
  const owner = { customerId, wallet: wallet };
  await readPosition(desk.deps.positions, { owner, strategy, signal: AbortSignal.timeout(90_000) });
  const entries = await desk.world.database.positionEntry.findMany({
    where: { customerId, strategyId: strategyId.toLowerCase() },
    orderBy: [{ blockNumber: 'asc' }, { logIndex: 'asc' }],
  });
  return entries.map(({ kind, assets }) => [kind, BigInt(assets!.toFixed())] as const);
}

describe.each([VAULT, 'ExitFee-USDC-devnet', 'Aave-USDC-devnet', 'Compound-USDC-devnet'])('%s', (strategyId) => {
  it('takes a deposit and its entry fee in one call, so that a wallet cannot leave the fee out', async () => {
    const before = await usdc();
    const { operation, action } = await desk.execute(strategyId, LEND, { readFees: entry });
    const fee = shareOf(AMOUNT, 25);
    expect(targetsOf(operation)).toEqual([desk.token('USDC'), ROUTER]);
    expect(operation.feeCharged).toBe(fee.toString());
    expect([before - (await usdc()), await usdc(COLLECTOR)]).toEqual([AMOUNT, fee]);
    expect(action).toMatchObject({
      amountIn: AMOUNT,
      steps: [{ kind: 'DEPOSIT', status: 'CONFIRMED' }],
      fees: { breakdown: expect.arrayContaining([expect.objectContaining({ type: 'platform' })]) },
    });
    expect(action.amountOut).toBeGreaterThanOrEqual(BigInt(action.minAmountOut.toFixed()));
    expect(await desk.balanceOf(receiptOf(strategyId), ROUTER)).toBe(0n);
  });

  it('pays a withdrawal after the fees on its profit in one call, and its position counts all of it', async () => {
    await desk.execute(strategyId, LEND);
    await local.wait(30 * DAY);
    const before = await usdc();
    const { operation, action } = await desk.execute(strategyId, ALL, { readFees: charged });
    expect(targetsOf(operation)).toEqual([receiptOf(strategyId), ROUTER]);
    const net = BigInt(operation.expected.value);
    const gain = net + BigInt(operation.feeCharged) - AMOUNT;
    const [performance, markup] = [shareOf(gain, 1000), shareOf(gain, 500)];
    expect(gain).toBeGreaterThan(0n);
    expect(operation.feeCharged).toBe((performance + markup).toString());
    expect([await usdc(COLLECTOR), await usdc(PARTNER)]).toEqual([performance, markup]);
    const paid = (await usdc()) - before;
    expect(paid).toBeGreaterThanOrEqual(net);
    expect(action).toMatchObject({ amountOut: paid, steps: [{ kind: 'WITHDRAW', status: 'CONFIRMED' }] });
    expect(await desk.balanceOf(receiptOf(strategyId))).toBe(0n);
    expect(await usdc(ROUTER)).toBe(0n);
    expect(await historyOf(strategyId)).toEqual([
      ['deposit', AMOUNT],
      ['withdrawal', paid + performance + markup],
    ]);
  });

  it('pays the fee on a part, and counts exactly that part', async () => {
    await desk.execute(strategyId, LEND);
    await local.wait(30 * DAY);
    const before = await usdc();
    const part = { action: 'withdraw', amount: (AMOUNT / 4n).toString() };
    const { operation } = await desk.execute(strategyId, part, { readFees: charged });
    const paid = (await usdc()) - before + BigInt(operation.feeCharged);
    const difference = paid - AMOUNT / 4n;
    expect(difference >= -1n && difference <= 1n).toBe(true);
    expect(BigInt(operation.feeCharged)).toBeGreaterThan(0n);
    expect(await historyOf(strategyId)).toEqual([
      ['deposit', AMOUNT],
      ['withdrawal', paid],
    ]);
  });
});

describe('a deposit through the router', () => {
  it('that would give fewer shares than its minimum reverts, costs no fee, and fails its action with the reason', async () => {
    const { id, bytecode } = await desk.operate(VAULT, LEND, { readFees: entry });
    await vaultChanges(desk, VAULT).earn(parseUnits('1000000', 6));
    const before = await usdc();
    expect(await desk.send(bytecode)).toEqual(['success', 'reverted']);
    expect([before - (await usdc()), await usdc(COLLECTOR)]).toEqual([0n, 0n]);
    await trackUntil(desk.tracker, { actionId: id, chainId: desk.devnet.chainId, status: 'FAILED' });
    expect(await desk.readAction(id)).toMatchObject({ substatus: 'SLIPPAGE_EXCEEDED' });
  });

  it('has a minimum of 0.3 % less, or of the slippage of the request', async () => {
    const minimum = async (fields = {}) => {
      const { bytecode, expected } = await desk.operate(VAULT, { ...LEND, ...fields });
      const terms = termsOf(bytecode.at(-1)!.data) as { minReceipt: bigint };
      return Number(((BigInt(expected.value) - terms.minReceipt) * 1_000_000n) / BigInt(expected.value));
    };
    expect(await minimum()).toBe(3010);
    expect(await minimum({ slippage: '0.01' })).toBe(10_010);
  });

  it.each([
    ['ExitFee-USDC-devnet', 3010n],
    ['Aave-USDC-devnet', 0n],
    ['Compound-USDC-devnet', 0n],
  ])('into %s has a minimum that counts no fee of the vault again, and no interest', async (strategyId, ppm) => {
    const { bytecode, expected } = await desk.operate(strategyId, {
      ...LEND,
      amount: parseUnits('1000', 6).toString(),
    });
    const { minReceipt } = termsOf(bytecode.at(-1)!.data) as { minReceipt: bigint };
    const created = BigInt(expected.value);
    const loss = created - minReceipt - (created * ppm) / 1_000_000n;
    expect(loss >= 0n && loss <= 2n).toBe(true);
  });

  it('after a swap deposits its minimum, and belongs to the wallet that it names', async () => {
    const { operation, action } = await desk.execute(VAULT, {
      action: 'lend',
      amount: parseUnits('0.1', 18).toString(),
      fromTokenAddress: desk.token('WETH'),
      fromChainId: 'devnet',
      destinationAddress: FRIEND,
    });
    expect(targetsOf(operation).slice(-2)).toEqual([desk.token('USDC'), ROUTER]);
    expect(action.steps).toMatchObject([{ kind: 'SWAP' }, { kind: 'DEPOSIT' }]);
    expect(await desk.balanceOf(receiptOf(VAULT), FRIEND)).toBe(action.amountOut);
  });

  it('is possible although the token bars the recipient of its fee', async () => {
    await vaultChanges(desk, VAULT).bar(COLLECTOR);
    const deposit = await desk.operate(VAULT, LEND, { readFees: entry });
    expect(deposit).toMatchObject({ feeCharged: '0', feeWaiver: 'RECIPIENT_REFUSED' });
    expect(targetsOf(deposit)).toContain(ROUTER);
  });

  it('is made without the router when the token takes a fee on transfers, which the router refuses', async () => {
    const toll = await local.deploy('TollToken', ['Toll', 'USDC']);
    const code = await local.client.getCode({ address: toll });
    const token = desk.token('USDC');
    await createJsonRpc(desk.devnet.rpcUrl).call('anvil_setCode', [token, code]);
    expect(targetsOf(await desk.operate(VAULT, LEND))).toEqual([token, desk.strategies.get(VAULT).row.market]);
  });

  it('is refused while the chain does not respond, and never takes the weaker form because of that', async () => {
    const findRouter = () => Promise.reject(rpcFailure('devnet', new Error('down')));
    expect((await problemOf(desk.operate(VAULT, LEND, { findRouter })))[0]).toBe('LENDING_SERVICE_UNAVAILABLE');
  });

  it('and a withdrawal are one user operation of a smart account, with the same checks', async () => {
    const lend = await desk.operate(VAULT, { ...LEND, output: 'userOperation' }, { readFees: entry });
    expect(lend.userOperation).toMatchObject({ calls: 2 });
    await desk.execute(VAULT, LEND);
    await earn();
    const withdraw = await desk.operate(VAULT, { ...ALL, output: 'userOperation' }, { readFees: charged });
    expect([withdraw.userOperation, targetsOf(withdraw).at(-1)]).toMatchObject([{ calls: 2 }, ROUTER]);
  });
});

describe('a withdrawal through the router', () => {
  it('to another recipient pays it what the fees leave, with the interest until it is mined', async () => {
    await desk.execute(VAULT, LEND);
    await earn();
    const fields = { ...ALL, destinationAddress: FRIEND };
    const before = await usdc();
    const { operation, action } = await desk.execute(VAULT, fields, { readFees: charged });
    expect(await usdc(FRIEND)).toBeGreaterThanOrEqual(BigInt(operation.expected.value));
    expect((await usdc(COLLECTOR)) + (await usdc(PARTNER))).toBe(BigInt(operation.feeCharged));
    expect([action.amountOut, action.steps.length, await usdc()]).toEqual([await usdc(FRIEND), 1, before]);
  });

  it('of a part from Aave to another token sells no more than it brings, whatever the rounding', async () => {
    await desk.execute('Aave-USDC-devnet', { ...LEND, amount: parseUnits('1000', 6).toString() });
    // The deadline of the swap is five minutes from now by the clock of the machine.
    await local.wait(200);
    const [weth, start] = [desk.token('WETH'), await usdc()];
    const fields = { action: 'withdraw', amount: '333333333', toTokenAddress: weth };
    const { operation } = await desk.execute('Aave-USDC-devnet', fields, { readFees: charged });
    const sold = BigInt(operation.quote!.inputAmount.value);
    expect(sold + BigInt(operation.feeCharged)).toBe(333_333_332n);
    const rest = (await usdc()) - start;
    expect(rest >= 0n && rest <= 2n).toBe(true);
  });

  it('to another token swaps what the fees leave', async () => {
    await desk.execute(VAULT, LEND);
    await earn();
    const fields = { ...ALL, toTokenAddress: desk.token('WETH') };
    const { operation, action } = await desk.execute(VAULT, fields, { readFees: charged });
    const sold = BigInt(operation.quote!.inputAmount.value);
    const gain = sold + BigInt(operation.feeCharged) - AMOUNT;
    expect(operation.feeCharged).toBe((shareOf(gain, 1000) + shareOf(gain, 500)).toString());
    expect(action.steps).toMatchObject([{ kind: 'WITHDRAW' }, { kind: 'SWAP' }]);
  });

  it('to another token pays what the swap takes, or reverts', async () => {
    await desk.execute(VAULT, LEND);
    await earn();
    const fields = { ...ALL, toTokenAddress: desk.token('WETH'), slippage: '0.05' };
    const { bytecode, quote } = await desk.operate(VAULT, fields, { readFees: charged });
    const routed = bytecode.find(({ to }) => to === ROUTER)!;
    expect((termsOf(routed.data) as WithdrawalTerms).minAssets).toBe(BigInt(quote!.inputAmount.value));
  });

  it('after a loss of the strategy reverts instead of paying less than its minimum, and pays no fee', async () => {
    await desk.execute(VAULT, LEND);
    await earn();
    const { bytecode } = await desk.operate(VAULT, ALL, { readFees: charged });
    await vaultChanges(desk, VAULT).lose(parseUnits('9', 6));
    expect(await desk.send(bytecode)).toEqual(['success', 'reverted']);
    expect([await usdc(COLLECTOR), await usdc(PARTNER)]).toEqual([0n, 0n]);
  });

  it('of assets pays exactly these, and takes no more shares than a bound', async () => {
    await desk.execute(VAULT, LEND);
    const before = await usdc();
    await desk.execute(VAULT, { action: 'withdraw', amount: '25000000' });
    expect((await usdc()) - before).toBe(25_000_000n);
    const { bytecode } = await desk.operate(VAULT, { action: 'withdraw', amount: '25000000' });
    await vaultChanges(desk, VAULT).lose(parseUnits('1', 6));
    expect(await desk.send(bytecode)).toEqual(['success', 'reverted']);
  });

  it('of a lending market without fees needs neither the router nor an allowance', async () => {
    for (const strategyId of ['Aave-USDC-devnet', 'Compound-USDC-devnet']) {
      await desk.execute(strategyId, LEND);
      const { bytecode } = await desk.operate(strategyId, ALL, {
        readFees: charging({ ...FEES, performanceBps: 0, markupBps: 0 }),
      });
      expect(targetsOf({ bytecode })).toEqual([expect.not.stringMatching(ROUTER)]);
    }
  });

  it('takes nothing of the wallet when another account sends it', async () => {
    await desk.execute(VAULT, LEND);
    await earn();
    const { bytecode } = await desk.operate(VAULT, ALL, { readFees: charged });
    const terms = termsOf(bytecode.at(-1)!.data) as WithdrawalTerms;
    const stolen = withdrawalData('redeemVault', { ...terms, receiver: FRIEND });
    const other = desk.universe.accounts[6]!;
    await expect(local.send(other.privateKey, { to: ROUTER, data: stolen })).rejects.toThrow();
  });
});
