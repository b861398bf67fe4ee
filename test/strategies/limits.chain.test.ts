import { parseAbi, parseUnits } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import type { DevnetAccount } from '../../devnet/accounts';
import { AAVE_ADMIN_ABI } from '../../devnet/strategies/aave-abi';
import { AAVE_ADMIN_KEY, AAVE_CONFIGURATOR } from '../../devnet/strategies/aave-market';
import { VAULTS } from '../../devnet/strategies/vaults';
import { aaveV3 } from '../../src/strategies/protocols/aave-v3/aave-v3';
import { erc4626 } from '../../src/strategies/protocols/erc4626/erc4626';
import type { Protocol, ProtocolCall } from '../../src/strategies/protocols/protocol';
import { rpcOf } from '../contract/local-swaps';
import { chainNamed, snapshotOf, type TestUniverse, universeOfTests } from '../setup/universe-of-tests';
import {
  callContract,
  changedRow,
  type LocalStrategy,
  localRow,
  refusalBy,
  resolved,
  type StrategyChain,
  strategyChain,
  type User,
  userOf,
} from './local-strategies';

const usdc = (amount: string): bigint => parseUnits(amount, 6);
const ALL = { kind: 'all' } as const;

let universe: TestUniverse;
let local: StrategyChain;
let account: DevnetAccount;
let revert: () => Promise<void>;
beforeAll(async () => {
  universe = await universeOfTests();
  local = strategyChain(universe, chainNamed(universe, 'devnet'));
  account = universe.accounts[3]!;
});
beforeEach(async () => {
  revert = await snapshotOf(local.chain);
});
afterEach(() => revert());

const open = async (id: string): Promise<{ market: LocalStrategy; user: User }> => {
  const market = await resolved(local, localRow(universe, id));
  return { market, user: userOf(local, market, account) };
};

const refusalOf = (protocol: Protocol, call: ProtocolCall) =>
  refusalBy(local, protocol, { ...call, from: account.address });

describe('a market of Aave', () => {
  const admin = (functionName: string, args: readonly unknown[]) =>
    callContract(local, AAVE_ADMIN_KEY, { address: AAVE_CONFIGURATOR, abi: AAVE_ADMIN_ABI, functionName, args });
  const asset = () => local.chain.tokens.find(({ symbol }) => symbol === 'USDC')!.address;

  it('that is frozen takes no deposits, and pays withdrawals', async () => {
    const { market, user } = await open('Aave-USDC-devnet');
    await user.lend(usdc('100'));
    await admin('setReserveFreeze', [asset(), true]);
    expect(await user.market()).toMatchObject({ acceptsDeposits: false, allowsWithdrawals: true });
    expect((await user.lendPreview(usdc('1'))).problem).toEqual({
      kind: 'DEPOSITS_PAUSED',
      message: 'The market is frozen: it takes no deposits.',
      maximum: 0n,
    });
    const request = { wallet: user.address, receiver: user.address, assets: usdc('1') };
    expect(await refusalOf(aaveV3, aaveV3.lend(market.strategy, request))).toMatch(/frozen/);
    await user.withdraw(ALL);
    expect((await user.holding()).shares).toBe(0n);
  });

  it('that is paused takes no deposits and pays no withdrawals', async () => {
    const { market, user } = await open('Aave-USDC-devnet');
    await user.lend(usdc('100'));
    await admin('setReservePause', [asset(), true]);
    expect(await user.market()).toMatchObject({ acceptsDeposits: false, allowsWithdrawals: false });
    expect((await user.lendPreview(usdc('1'))).problem?.message).toMatch(/is paused/);
    const preview = await user.withdrawPreview(ALL);
    expect(preview.problem).toMatchObject({
      kind: 'WITHDRAWALS_PAUSED',
      message: expect.stringContaining('is paused'),
    });
    expect((await user.holding()).availableToWithdraw).toBe(0n);
    const request = { wallet: user.address, receiver: user.address, amount: ALL };
    expect(await refusalOf(aaveV3, aaveV3.withdraw(market.strategy, request, preview))).toMatch(/paused/);
  });

  it('accepts a deposit up to the limit that it names, also seven minutes later, and refuses more', async () => {
    const { market, user } = await open('Aave-USDC-devnet');
    const { tvl } = await user.market();
    await admin('setSupplyCap', [asset(), tvl / 10n ** 6n + 5000n]);
    const { depositLimit } = await user.market();
    expect(depositLimit! > usdc('4000') && depositLimit! < usdc('5001')).toBe(true);
    const { problem } = await user.lendPreview(depositLimit! + usdc('10'));
    expect(problem?.kind).toBe('DEPOSIT_LIMIT');
    expect(problem!.message).toMatch(/^The market accepts at most [\d.]+ USDC more at present\.$/);
    const request = { wallet: user.address, receiver: user.address, assets: usdc('5100') };
    const call = aaveV3.lend(market.strategy, request);
    // Most of the ten minutes for which the limit holds: the rest is for what the test does meanwhile.
    await local.wait(540);
    await user.lend(depositLimit!);
    expect(await refusalOf(aaveV3, call)).toMatch(/full/);
    expect((await user.lendPreview(usdc('10'))).problem?.kind).toBe('DEPOSIT_LIMIT');
  });

  it('that has lent its tokens names what it can pay; the bare panic of more is explained as too little liquidity', async () => {
    const { market, user } = await open('Aave-USDC-devnet');
    await user.lend(usdc('1000000'));
    const { liquidity } = await user.market();
    // The administrator borrows all but a hundred.
    await callContract(local, AAVE_ADMIN_KEY, {
      address: market.strategy.contracts['pool']!,
      abi: parseAbi(['function borrow(address, uint256, uint256, uint16, address)']),
      functionName: 'borrow',
      args: [asset(), liquidity! - usdc('100'), 2n, 0, privateKeyToAddress(AAVE_ADMIN_KEY)],
    });
    const preview = await user.withdrawPreview(ALL);
    expect(preview.problem).toMatchObject({ kind: 'LIQUIDITY', maximum: usdc('100') });
    expect(preview.problem!.message).toBe(
      'The market can pay at most 100 USDC at present. Withdraw less, or try again later.',
    );
    expect((await user.holding()).availableToWithdraw).toBe(usdc('100'));
    const request = { wallet: user.address, receiver: user.address, amount: ALL };
    expect(await refusalOf(aaveV3, aaveV3.withdraw(market.strategy, request, preview))).toMatch(/too little liquidity/);
    const { received } = await user.withdraw({ kind: 'assets', assets: usdc('100') });
    expect(received).toBe(usdc('100'));
  });

  it('shows the debt of a wallet', async () => {
    const { market, user } = await open('Aave-USDC-devnet');
    await user.lend(usdc('1000'));
    await callContract(local, account.privateKey, {
      address: market.strategy.contracts['pool']!,
      abi: parseAbi(['function borrow(address, uint256, uint256, uint16, address)']),
      functionName: 'borrow',
      args: [asset(), usdc('500'), 2n, 0, account.address],
    });
    expect((await user.holding()).debt).toBeGreaterThanOrEqual(500n * 10n ** 8n);
    const preview = await user.withdrawPreview({ kind: 'assets', assets: usdc('900') });
    const request = {
      wallet: user.address,
      receiver: user.address,
      amount: { kind: 'assets', assets: usdc('900') },
    } as const;
    expect(await refusalOf(aaveV3, aaveV3.withdraw(market.strategy, request, preview))).toMatch(/debt/);
  });
});

describe('a vault', () => {
  const limits = parseAbi(['function setDepositCap(uint256)', 'function setLiquidity(uint256)']);
  const set = (functionName: 'setDepositCap' | 'setLiquidity', value: bigint) =>
    callContract(local, account.privateKey, { address: VAULTS.steady, abi: limits, functionName, args: [value] });

  it('with a cap names what it still accepts', async () => {
    const { market, user } = await open('Steady-USDC-devnet');
    await user.lend(usdc('10'));
    await set('setDepositCap', usdc('50'));
    const { problem } = await user.lendPreview(usdc('45'));
    expect(problem?.kind).toBe('DEPOSIT_LIMIT');
    expect(problem!.maximum! <= usdc('40') && problem!.maximum! > usdc('39.9')).toBe(true);
    const request = { wallet: user.address, receiver: user.address, assets: usdc('45') };
    expect(await refusalOf(erc4626, erc4626.lend(market.strategy, request))).toMatch(/accepts less/);
    expect((await user.lendPreview(usdc('39'))).problem).toBeUndefined();
    await set('setDepositCap', 0n);
    expect(await user.market()).toMatchObject({ acceptsDeposits: false, depositLimit: 0n });
    expect((await user.lendPreview(usdc('1'))).problem?.kind).toBe('DEPOSITS_PAUSED');
  });

  it('with little liquidity names what it pays', async () => {
    const { market, user } = await open('Steady-USDC-devnet');
    await user.lend(usdc('100'));
    await set('setLiquidity', usdc('30'));
    const preview = await user.withdrawPreview(ALL);
    expect(preview.problem).toMatchObject({ kind: 'LIQUIDITY', maximum: usdc('30') });
    expect(await user.holding()).toMatchObject({ availableToWithdraw: usdc('30'), isAvailableTrusted: true });
    const request = { wallet: user.address, receiver: user.address, amount: ALL };
    expect(await refusalOf(erc4626, erc4626.withdraw(market.strategy, request, preview))).toMatch(/pays less/);
    await set('setLiquidity', 0n);
    expect((await user.withdrawPreview(ALL)).problem?.kind).toBe('WITHDRAWALS_PAUSED');
  });

  it('whose limits are 0 although it accepts deposits is offered when its row does not trust them', async () => {
    const { user } = await open('Gated-USDC-devnet');
    expect(await user.market()).toMatchObject({ acceptsDeposits: true, depositLimit: undefined });
    await user.lend(usdc('100'));
    const row = changedRow(localRow(universe, 'Gated-USDC-devnet'), { trustMax: true });
    const trusting = userOf(local, await resolved(local, row), account);
    expect((await trusting.lendPreview(usdc('1'))).problem?.kind).toBe('DEPOSITS_PAUSED');
    expect((await trusting.withdrawPreview(ALL)).problem?.kind).toBe('WITHDRAWALS_PAUSED');
  });

  it('with a gate that is shut refuses in the simulation', async () => {
    const { market, user } = await open('Gated-USDC-devnet');
    await callContract(local, account.privateKey, {
      address: VAULTS.gated,
      abi: parseAbi(['function shutOut(address, bool)']),
      functionName: 'shutOut',
      args: [account.address, true],
    });
    const request = { wallet: user.address, receiver: user.address, assets: usdc('1') };
    const rpc = rpcOf([local.chain]);
    const call = { from: user.address, ...erc4626.lend(market.strategy, request) };
    const [result] = await rpc.simulate(local.chain.chainId, [call]);
    expect(result).toMatchObject({ ok: false });
  });

  it('with an exit fee is worth what it pays, and its fee is explained by its row', async () => {
    const { user } = await open('ExitFee-USDC-devnet');
    await user.lend(usdc('1000'));
    const { value, availableToWithdraw } = await user.holding();
    expect(value > usdc('994.9') && value < usdc('995.1')).toBe(true);
    expect(availableToWithdraw).toBe(value);
    const row = changedRow(localRow(universe, 'ExitFee-USDC-devnet'), { knownFeeBps: 20 });
    const unaware = userOf(local, await resolved(local, row), account);
    expect((await unaware.lendPreview(usdc('100'))).problem).toMatchObject({
      kind: 'UNFAIR_PRICE',
      message: expect.stringContaining('99.5'),
    });
  });

  it('of the kind that passes losses on is redeemed with a bound', async () => {
    const underlying = local.chain.tokens.find(({ symbol }) => symbol === 'USDC')!.address;
    const vault = await local.deploy('LossVault', [underlying, 'Loss USDC', 'lsUSDC', 0n, 0]);
    const row = changedRow(localRow(universe, 'Steady-USDC-devnet'), { id: 'Loss-USDC-devnet', market: vault });
    const market = await resolved(local, row);
    const user = userOf(local, market, account);
    await user.lend(usdc('100'));
    const abi = parseAbi(['function setLoss(uint256)']);
    const lose = (bps: bigint) =>
      callContract(local, account.privateKey, { address: vault, abi, functionName: 'setLoss', args: [bps] });
    await lose(100n);
    const preview = await user.withdrawPreview(ALL);
    const request = { wallet: user.address, receiver: user.address, amount: ALL };
    expect(await refusalOf(erc4626, erc4626.withdraw(market.strategy, request, preview))).toMatch(/losses/);
    await lose(1n);
    const { received } = await user.withdraw(ALL);
    expect(received).toBe(usdc('99.99'));
  });
});
