import { type Address, encodeFunctionData, erc20Abi, parseAbi, parseUnits } from 'viem';
import type { DevnetAccount } from '../../devnet/accounts';
import { ownArtifact } from '../../devnet/artifacts';
import { erc4626 } from '../../src/strategies/protocols/erc4626/erc4626';
import { chainNamed, snapshotOf, type TestUniverse, universeOfTests } from '../setup/universe-of-tests';
import {
  callContract,
  changedRow,
  execute,
  localRow,
  mint,
  resolutionOf,
  resolved,
  type StrategyChain,
  strategyChain,
  type User,
  userOf,
} from './local-strategies';

const usdc = (amount: string): bigint => parseUnits(amount, 6);
const ALL = { kind: 'all' } as const;
/** Vaults without extra decimals round to whole units of their asset. */
const NO_OFFSET = 0;

let universe: TestUniverse;
let local: StrategyChain;
let victim: DevnetAccount;
let attacker: DevnetAccount;
let revert: () => Promise<void>;
beforeAll(async () => {
  universe = await universeOfTests();
  local = strategyChain(universe, chainNamed(universe, 'devnet'));
  [victim, attacker] = [universe.accounts[3]!, universe.accounts[4]!];
});
beforeEach(async () => {
  revert = await snapshotOf(local.chain);
});
afterEach(() => revert());

const asset = (): Address => local.chain.tokens.find(({ symbol }) => symbol === 'USDC')!.address;

/** A vault that was deployed for the test, as a row would name it. */
const rowOf = (market: Address, underlying = asset()) =>
  changedRow(localRow(universe, 'Steady-USDC-devnet'), { id: 'Test-USDC-devnet', market, underlying });

async function vaultUsers(market: Address, underlying = asset()): Promise<{ own: User; other: User }> {
  const strategy = await resolved(local, rowOf(market, underlying));
  return { own: userOf(local, strategy, victim), other: userOf(local, strategy, attacker) };
}

const donate = (to: Address, value: bigint) =>
  local.send(attacker.privateKey, {
    to: asset(),
    data: encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, value] }),
  });

describe('a vault whose first depositor has inflated the price of its shares', () => {
  it('gives no shares for a small deposit, which is refused', async () => {
    const vault = await local.deploy('YieldVault', [asset(), 'Inflated', 'INF', 0n, NO_OFFSET]);
    const { own, other } = await vaultUsers(vault);
    await other.lend(1n);
    await donate(vault, usdc('10000'));
    expect((await own.lendPreview(usdc('4000'))).problem?.kind).toBe('TOO_SMALL');
  });

  it('rounds away a part of a larger deposit, which is refused with what would be left', async () => {
    const vault = await local.deploy('YieldVault', [asset(), 'Inflated', 'INF', 0n, NO_OFFSET]);
    const { own, other } = await vaultUsers(vault);
    await other.lend(1n);
    await donate(vault, usdc('10000'));
    const { problem } = await own.lendPreview(usdc('9000'));
    expect(problem).toMatchObject({ kind: 'UNFAIR_PRICE', message: expect.stringContaining('5000.000001 USDC only') });
  });

  it('with extra decimals of shares costs a depositor nothing', async () => {
    const vault = await local.deploy('YieldVault', [asset(), 'Guarded', 'GRD', 0n, 6]);
    const { own, other } = await vaultUsers(vault);
    await other.lend(1n);
    await donate(vault, usdc('100'));
    const preview = await own.lendPreview(usdc('4000'));
    if (preview.problem === undefined) {
      await own.lend(usdc('4000'));
      expect((await own.holding()).value).toBeGreaterThan(usdc('3999.5'));
    } else expect(preview.problem.kind).toBe('UNFAIR_PRICE');
  });
});

describe('a vault that lies', () => {
  const abi = parseAbi(['function lie(bool stealsDeposits, bool stealsWithdrawals, bool promisesLess)']);
  const lie = (address: Address, args: readonly [boolean, boolean, boolean]) =>
    callContract(local, attacker.privateKey, { address, abi, functionName: 'lie', args });
  const deployed = () => local.deploy('LyingVault', [asset(), 'Lying', 'LIE', 0n, 6]);

  it('about a fee is refused, since a withdrawal would return less', async () => {
    const vault = await deployed();
    const { own } = await vaultUsers(vault);
    await lie(vault, [false, false, true]);
    expect((await own.lendPreview(usdc('100'))).problem).toMatchObject({
      kind: 'UNFAIR_PRICE',
      message: expect.stringContaining('97 USDC only'),
    });
  });

  it('about the shares of a deposit gives others than its preview: what a simulation compares', async () => {
    const vault = await deployed();
    const { own } = await vaultUsers(vault);
    await lie(vault, [true, false, false]);
    const preview = await own.lendPreview(usdc('100'));
    expect(preview.problem).toBeUndefined();
    await own.lend(usdc('100'));
    expect((await own.holding()).shares).toBe(preview.shares / 2n);
  });

  it('about the assets of a withdrawal pays others than its preview: what a simulation compares', async () => {
    const vault = await deployed();
    const { own } = await vaultUsers(vault);
    await own.lend(usdc('100'));
    await lie(vault, [false, true, false]);
    const { preview, received } = await own.withdraw(ALL);
    expect([preview.assets, received]).toEqual([usdc('100'), usdc('50')]);
  });
});

describe('a token that calls the vault while it is transferred', () => {
  const abi = ownArtifact('ReentrantToken').abi;
  const vaultAbi = parseAbi([
    'function deposit(uint256, address) returns (uint256)',
    'function redeem(uint256, address, address) returns (uint256)',
  ]);

  it.each(['deposits', 'withdraws'] as const)('takes nothing from a depositor when it %s meanwhile', async (how) => {
    const token = await local.deploy('ReentrantToken', []);
    const vault = await local.deploy('YieldVault', [token, 'Reentered', 'REE', 0n, 6]);
    const command = (functionName: string, args: readonly unknown[]) =>
      callContract(local, attacker.privateKey, { address: token, abi, functionName, args });
    await mint(local, attacker, [token, token, usdc('1000')]);
    await mint(local, attacker, [token, victim.address, usdc('100')]);
    const approval = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [vault, 2n ** 255n] });
    await command('execute', [token, approval]);
    const deposit = encodeFunctionData({ abi: vaultAbi, functionName: 'deposit', args: [usdc('500'), token] });
    await command('execute', [vault, deposit]);
    const shares = (await local.balanceOf(vault, token)) / 2n;
    const redeem = encodeFunctionData({ abi: vaultAbi, functionName: 'redeem', args: [shares, token, token] });
    await command('attack', [vault, how === 'deposits' ? deposit : redeem]);

    const { own } = await vaultUsers(vault, token);
    const preview = await own.lendPreview(usdc('100'));
    expect(preview.problem).toBeUndefined();
    await own.lend(usdc('100'));
    expect((await own.holding()).shares).toBe(preview.shares);
    const { received } = await own.withdraw(ALL);
    expect(received).toBeGreaterThanOrEqual(usdc('100') - 1n);
  });
});

describe('a vault with hostile decimals', () => {
  it.each([37, 59, 77, 255])('is refused with %d of them', async (decimals) => {
    const vault = await local.deploy('OddDecimalsVault', [asset(), decimals]);
    expect(await resolutionOf(local, rowOf(vault))).toEqual({
      kind: 'refused',
      reason: `The vault ${vault} has ${String(decimals)} decimals; at most 36 are supported.`,
    });
  });

  it.each([0, 36])('is served with %d of them', async (decimals) => {
    const vault = await local.deploy('OddDecimalsVault', [asset(), decimals]);
    const { own } = await vaultUsers(vault);
    await own.lend(usdc('100'));
    expect((await own.holding()).value).toBeGreaterThanOrEqual(usdc('100') - 1n);
    const { received } = await own.withdraw(ALL);
    expect(received).toBe(usdc('100'));
  });
});

it('a contract that is no vault is not resolved', async () => {
  expect(await resolutionOf(local, rowOf(asset()))).toBeUndefined();
});

it('an allowance is for the deposited amount, and for the vault alone', async () => {
  const strategy = await resolved(local, localRow(universe, 'Steady-USDC-devnet'));
  const request = { wallet: victim.address, receiver: victim.address, assets: usdc('7') };
  const call = erc4626.lend(strategy.strategy, request);
  expect(call.allowance).toEqual({ token: asset(), spender: strategy.strategy.row.market, amount: usdc('7') });
  await execute(local, victim, call);
  const { market } = strategy.strategy.row;
  const allowance = await local.client.readContract({
    address: asset(),
    abi: erc20Abi,
    functionName: 'allowance',
    args: [victim.address, market],
  });
  expect(allowance).toBe(0n);
});
