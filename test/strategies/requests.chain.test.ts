import { type Address, parseAbi } from 'viem';
import type { RawFields } from '../../src/errors/field-reader';
import {
  cumulativeProfitOf,
  principalOf,
  profitOf,
  realizedProfitOf,
} from '../../src/strategies/positions/position-state';
import { type PositionReading, readPosition } from '../../src/strategies/positions/read-positions';
import { spotPosition } from '../../src/strategies/positions/spot-position';
import { chainNamed } from '../setup/universe-of-tests';
import { callContract, localRow, type StrategyChain, strategyChain } from './local-strategies';
import { charging, type OperationDesk, problemOf } from './operation-desk';
import { useOperationDesk } from './use-operation-desk';

const ID = 'Requests-USDC-devnet';
const USDC = 1_000_000n;
const DAY = 86_400;
const COLLECTOR: Address = '0x00000000000000000000000000000000c0113c70';

let desk: OperationDesk;
let local: StrategyChain;
let key: `0x${string}`;
useOperationDesk((opened) => {
  desk = opened;
  local = strategyChain(desk.universe, chainNamed(desk.universe, 'devnet'));
  key = desk.universe.accounts[5]!.privateKey;
});

// The chain goes back after each test, to before what was stored of it.
beforeEach(async () => {
  await desk.world.database.positionEntry.deleteMany();
  await desk.world.database.positionCursor.deleteMany();
});

const VAULT = parseAbi([
  'function fulfil(address controller)',
  'function fulfilDeposit(address controller, uint256 assets)',
  'function maxMint(address controller) view returns (uint256)',
  'function maxWithdraw(address controller) view returns (uint256)',
]);
const vault = () => localRow(desk.universe, ID).market;
const call = (functionName: string, args: readonly unknown[]) =>
  callContract(local, key, { address: vault(), abi: VAULT, functionName, args });
const fulfil = () => call('fulfil', [desk.wallet]);
const stated = (functionName: 'maxMint' | 'maxWithdraw') =>
  local.client.readContract({ address: vault(), abi: VAULT, functionName, args: [desk.wallet] });
const execute = (fields: RawFields, changes?: Parameters<OperationDesk['execute']>[2]) =>
  desk.execute(ID, fields, changes);
const refusal = (fields: RawFields) => problemOf(desk.operate(ID, fields));

const read = (): Promise<PositionReading> =>
  readPosition(desk.deps.positions, {
    owner: { customerId: desk.customerId, wallet: desk.wallet },
    strategy: desk.strategies.get(ID),
    signal: AbortSignal.timeout(90_000),
  });
const spot = (reading: PositionReading) =>
  spotPosition(reading, {
    price: undefined,
    rewardPrices: [],
    fees: { performanceBps: 0, markupBps: 0 },
    charged: undefined,
  });
const values = (amounts: readonly { readonly symbol: string; readonly value: string }[]) =>
  amounts.map(({ symbol, value }) => [symbol, value]);

/** V − N = (V − C) + R, with a history that agrees with the chain. */
function expectIdentity({ state, holding, problem }: PositionReading): void {
  expect(problem).toBeUndefined();
  expect(cumulativeProfitOf(state!, holding.value)).toBe(profitOf(state!, holding.value) + realizedProfitOf(state!));
}

async function deposit(amount: bigint): Promise<void> {
  await execute({ action: 'request-lend', amount: amount.toString() });
  await fulfil();
  await execute({ action: 'lend', amount: 'max' });
}

describe('a deposit that is requested', () => {
  it('is pending, is fulfilled in parts and claimed, exact to the unit', async () => {
    const [before, empty] = [await desk.balanceOf(desk.token('USDC')), await read()];
    const { operation, action } = await execute({ action: 'request-lend', amount: (1000n * USDC).toString() });
    expect(operation).toMatchObject({ type: 'SAMECHAIN_INVESTMENT_DEPOSIT', expected: { symbol: 'USDC' } });
    expect(action).toMatchObject({ amountIn: 1000n * USDC, amountOut: 1000n * USDC, status: 'SUCCESS' });
    expect(action.steps.map(({ kind, status }) => [kind, status])).toEqual([['REQUEST', 'CONFIRMED']]);
    expect(before - (await desk.balanceOf(desk.token('USDC')))).toBe(1000n * USDC);

    const pending = await read();
    expectIdentity(pending);
    expect([pending.holding.value, principalOf(pending.state!)]).toEqual([empty.holding.value, 0n]);
    expect(values(spot(pending).requestedToLend)).toEqual([['USDC', (1000n * USDC).toString()]]);
    expect(spot(pending).requestedToLendInShares).toHaveLength(1);
    expect(await refusal({ action: 'lend', amount: 'max' })).toEqual(['LENDING_BAD_REQUEST', 'NOT_CLAIMABLE', '0']);

    await call('fulfilDeposit', [desk.wallet, 400n * USDC]);
    const part = (400n * USDC).toString();
    expect(await refusal({ action: 'lend', amount: (400n * USDC + 1n).toString() })).toEqual([
      'LENDING_BAD_REQUEST',
      'NOT_CLAIMABLE',
      part,
    ]);
    const shares = await stated('maxMint');
    expect(values(spot(await read()).availableToClaim)).toEqual([['rqUSDC', shares.toString()]]);
    const claim = await execute({ action: 'lend', amount: part });
    expect(claim.action).toMatchObject({ amountIn: 0n, amountOut: shares, type: 'SAMECHAIN_INVESTMENT_DEPOSIT' });
    expect(await desk.balanceOf(vault())).toBe(shares);
    const claimed = await read();
    expectIdentity(claimed);
    expect([claimed.holding.shares, principalOf(claimed.state!)]).toEqual([shares, 400n * USDC]);
    expect(values(spot(claimed).requestedToLend)).toEqual([['USDC', (600n * USDC).toString()]]);

    await fulfil();
    await execute({ action: 'lend', amount: 'max' });
    const whole = await read();
    expectIdentity(whole);
    expect([principalOf(whole.state!), whole.holding.requests]).toEqual([1000n * USDC, undefined]);
    expect(whole.total?.entries).toBe(2);
  });

  it('is requested after a swap, of its minimum', async () => {
    const { operation, action } = await execute({
      action: 'request-lend',
      amount: '100000000000000000',
      fromChainId: 'devnet',
      fromTokenAddress: desk.token('WETH'),
    });
    const minimum = operation.quote!.minimumOutputAmount.value;
    expect(action.steps.map(({ kind }) => kind)).toEqual(['SWAP', 'REQUEST']);
    expect((await read()).holding.requests?.lend.assets.toString()).toBe(minimum);
    expect(action.amountOut.toString()).toBe(minimum);
  });

  it('pays the entry fee once, with the request', async () => {
    const fees = { entryBps: 100, performanceBps: 0, markupBps: 0, collector: COLLECTOR, marks: [] };
    const changes = { readFees: charging(fees) };
    const { action } = await execute({ action: 'request-lend', amount: (100n * USDC).toString() }, changes);
    expect(action.steps.map(({ kind, status }) => [kind, status])).toEqual([
      ['REQUEST', 'CONFIRMED'],
      ['TRANSFER', 'CONFIRMED'],
    ]);
    expect((await read()).holding.requests?.lend.assets).toBe(99n * USDC);
    await fulfil();
    const claim = await execute({ action: 'lend', amount: 'max' }, changes);
    expect(claim.operation.feeCharged).toBe('0');
    expect(await desk.balanceOf(desk.token('USDC'), COLLECTOR)).toBe(USDC);
  });
});

describe('a withdrawal that is requested', () => {
  it('stays in the position until its assets are claimed, without a sudden loss', async () => {
    await deposit(1000n * USDC);
    await local.wait(30 * DAY);
    const grown = await read();
    const { shares } = grown.holding;
    const half = shares / 2n;
    const { action } = await execute({ action: 'request-withdraw', amountInShares: half.toString() });
    expect(action).toMatchObject({ amountIn: half, type: 'SAMECHAIN_INVESTMENT_WITHDRAW' });
    expect(action.steps.map(({ kind }) => kind)).toEqual(['REQUEST']);
    const pending = await read();
    expectIdentity(pending);
    expect(pending.holding.value).toBeGreaterThanOrEqual(grown.holding.value);
    expect(pending.holding).toMatchObject({ shares, receiptBalance: shares - half, availableToWithdraw: 0n });
    expect(principalOf(pending.state!)).toBe(1000n * USDC);
    expect(values(spot(pending).requestedToWithdrawInShares)).toEqual([['rqUSDC', half.toString()]]);
    expect(await refusal({ action: 'withdraw', amount: 'max' })).toEqual(['LENDING_BAD_REQUEST', 'NOT_CLAIMABLE', '0']);

    await fulfil();
    const assets = await stated('maxWithdraw');
    const fulfilled = await read();
    expectIdentity(fulfilled);
    expect(fulfilled.holding.value).toBeGreaterThanOrEqual(pending.holding.value);
    expect(values(spot(fulfilled).availableToClaim)).toEqual([['USDC', assets.toString()]]);
    expect(values(spot(fulfilled).availableToWithdraw)).toEqual([['USDC', assets.toString()]]);
    expect(await refusal({ action: 'withdraw', amount: (assets + 1n).toString() })).toEqual([
      'LENDING_BAD_REQUEST',
      'NOT_CLAIMABLE',
      assets.toString(),
    ]);
    const before = await desk.balanceOf(desk.token('USDC'));
    const claim = await execute({ action: 'withdraw', amount: 'max' });
    expect((await desk.balanceOf(desk.token('USDC'))) - before).toBe(assets);
    expect(claim.action).toMatchObject({ amountIn: 0n, amountOut: assets });
    const paid = await read();
    expectIdentity(paid);
    expect([paid.holding.shares, paid.state!.netPaidIn]).toEqual([shares - half, 1000n * USDC - assets]);
    expect(principalOf(paid.state!)).toBe(500n * USDC);
    expect(realizedProfitOf(paid.state!)).toBe(assets - 500n * USDC);
  });

  it('leaves nothing behind when everything is requested and claimed', async () => {
    await deposit(100n * USDC);
    await local.wait(3 * DAY);
    await execute({ action: 'request-withdraw', amount: 'max' });
    await fulfil();
    const part = (40n * USDC).toString();
    expect((await execute({ action: 'withdraw', amount: part })).action.amountOut).toBe(40n * USDC);
    await execute({ action: 'withdraw', amount: 'max' });
    const left = await read();
    expectIdentity(left);
    expect(left.holding).toMatchObject({ shares: 0n, value: 0n, receiptBalance: 0n });
    expect([principalOf(left.state!), left.holding.requests]).toEqual([0n, undefined]);
  });

  it('pays the fee on its profit with the claim', async () => {
    const fees = { entryBps: 0, performanceBps: 1000, markupBps: 0, collector: COLLECTOR, marks: [] };
    const changes = { readFees: charging(fees) };
    await deposit(1000n * USDC);
    await local.wait(60 * DAY);
    const request = await execute({ action: 'request-withdraw', amount: 'max' }, changes);
    expect(request.operation.feeCharged).toBe('0');
    await fulfil();
    const assets = await stated('maxWithdraw');
    const fee = (assets - 1000n * USDC) / 10n;
    const { operation, action } = await execute({ action: 'withdraw', amount: 'max' }, changes);
    expect(action.steps.map(({ kind }) => kind)).toEqual(['WITHDRAW', 'TRANSFER']);
    expect([operation.feeCharged, action.amountOut]).toEqual([fee.toString(), assets - fee]);
    expect(await desk.balanceOf(desk.token('USDC'), COLLECTOR)).toBe(fee);
  });

  it('is claimed as another token', async () => {
    await deposit(100n * USDC);
    await execute({ action: 'request-withdraw', amount: 'max' });
    await fulfil();
    const { action } = await execute({ action: 'withdraw', amount: 'max', toTokenAddress: desk.token('WETH') });
    expect(action.steps.map(({ kind }) => kind)).toEqual(['WITHDRAW', 'SWAP']);
    expect(action.amountOut).toBeGreaterThan(0n);
  });
});

describe('what an asynchronous vault refuses', () => {
  const lend = { action: 'request-lend', amount: '1000000' };
  const weth = () => desk.token('WETH');
  it.each<[string, () => RawFields, string | undefined]>([
    ['a recipient of a request', () => ({ ...lend, destinationAddress: COLLECTOR }), undefined],
    [
      'a token for a request of a withdrawal',
      () => ({ action: 'request-withdraw', amount: '1', toTokenAddress: weth() }),
      undefined,
    ],
    [
      'a token for a claim of a deposit',
      () => ({ action: 'lend', amount: '1', fromTokenAddress: weth(), fromChainId: 'devnet' }),
      undefined,
    ],
    ['shares for a claim of a deposit', () => ({ action: 'lend', amountInShares: '1' }), undefined],
    ['a request of nothing', () => ({ ...lend, amount: '0' }), undefined],
    ['a claim without a request', () => ({ action: 'lend', amount: '1' }), 'NOT_CLAIMABLE'],
    ['a withdrawal without a request', () => ({ action: 'withdraw', amount: '1' }), 'NOT_CLAIMABLE'],
    ['shares that the wallet lacks', () => ({ action: 'request-withdraw', amount: '1000000' }), 'BALANCE'],
    ['more than the wallet holds', () => ({ ...lend, amount: (10n ** 30n).toString() }), 'BALANCE'],
  ])('%s', async (_, fields, kind) => {
    const code = kind === undefined ? 'VALIDATION_ERROR' : 'LENDING_BAD_REQUEST';
    expect((await refusal(fields())).slice(0, 2)).toEqual([code, kind]);
  });

  it('a limit price, which is for stocks', async () => {
    expect((await refusal({ ...lend, priceInUsd: 100 }))[0]).toBe('PRICE_IN_USD_NOT_SUPPORTED');
  });

  it('requests of other vaults', async () => {
    expect((await problemOf(desk.operate('Steady-USDC-devnet', lend)))[0]).toBe('VALIDATION_ERROR');
  });

  it('names the pending amounts', async () => {
    await execute(lend);
    await expect(desk.operate(ID, { action: 'lend', amount: 'max' })).rejects.toThrow(/1 USDC are pending/);
  });
});

describe('a user operation', () => {
  it('requests and approves in one step', async () => {
    const { id } = await desk.operate(ID, { action: 'request-lend', amount: '1000000', output: 'userOperation' });
    const { steps, calls } = await desk.readAction(id);
    expect(steps.map(({ kind }) => kind)).toEqual(['REQUEST']);
    expect(calls.map(({ form }) => form)).toEqual(['USER_OPERATION']);
  });
});
