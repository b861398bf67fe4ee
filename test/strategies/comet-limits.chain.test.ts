import { type Abi, parseAbi, parseUnits } from 'viem';
import type { DevnetAccount } from '../../devnet/accounts';
import { VAULT_DEPLOYER_KEY, VAULTS } from '../../devnet/strategies/vaults';
import { compoundV3 } from '../../src/strategies/protocols/compound-v3/compound-v3';
import type { ProtocolCall } from '../../src/strategies/protocols/protocol';
import { chainNamed, snapshotOf, universeOfTests } from '../setup/universe-of-tests';
import {
  callContract,
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

let local: StrategyChain;
let account: DevnetAccount;
let market: LocalStrategy;
let user: User;
let revert: () => Promise<void>;
beforeAll(async () => {
  const universe = await universeOfTests();
  local = strategyChain(universe, chainNamed(universe, 'devnet'));
  account = universe.accounts[3]!;
  market = await resolved(local, localRow(universe, 'Compound-USDC-devnet'));
  user = userOf(local, market, account);
});
beforeEach(async () => {
  revert = await snapshotOf(local.chain);
});
afterEach(() => revert());

const refusalOf = (call: ProtocolCall) => refusalBy(local, compoundV3, { ...call, from: account.address });

describe('a Comet', () => {
  const ABI: Abi = parseAbi(['function pause(bool, bool, bool, bool, bool)', 'function lend(uint256 amount)']);
  const govern = (functionName: 'pause' | 'lend', args: readonly unknown[]) =>
    callContract(local, VAULT_DEPLOYER_KEY, { address: VAULTS.comet, abi: ABI, functionName, args });

  it('that is paused says so', async () => {
    await user.lend(usdc('100'));
    await govern('pause', [true, false, true, false, false]);
    expect((await user.lendPreview(usdc('1'))).problem?.kind).toBe('DEPOSITS_PAUSED');
    const preview = await user.withdrawPreview(ALL);
    expect(preview.problem?.kind).toBe('WITHDRAWALS_PAUSED');
    expect(await user.market()).toMatchObject({ acceptsDeposits: false, allowsWithdrawals: false });
    const request = { wallet: user.address, receiver: user.address, amount: ALL };
    expect(await refusalOf(compoundV3.withdraw(market.strategy, request, preview))).toMatch(/paused/);
  });

  it('never lends to a wallet that withdraws more than its deposit', async () => {
    await user.lend(usdc('100'));
    const { value } = await user.holding();
    const amount = { kind: 'assets', assets: value + usdc('1') } as const;
    const preview = await user.withdrawPreview(amount);
    expect(preview.problem?.kind).toBe('BALANCE');
    const request = { wallet: user.address, receiver: user.address, amount };
    expect(await refusalOf(compoundV3.withdraw(market.strategy, request, preview))).toMatch(/smaller/);
  });

  it('takes a withdrawal of exactly everything as the maximum, which cannot borrow after another withdrawal', async () => {
    await user.lend(usdc('100'));
    const { value } = await user.holding();
    const { protocol, strategy } = market;
    const previewOf = async (assets: bigint) => {
      const request = { wallet: user.address, receiver: user.address, amount: { kind: 'assets', assets } } as const;
      const { value: preview } = await local.read(protocol.withdrawPreview(strategy, request));
      return preview!;
    };
    const whole = await previewOf(value);
    const part = await previewOf(value - usdc('1'));
    expect([whole.isWhole, part.isWhole]).toEqual([true, undefined]);
  });

  it('does not repay the debt of a wallet with a deposit', async () => {
    const borrower = '0xb0440000000000000000000000000000000000b1';
    const { protocol, strategy } = market;
    const request = { wallet: user.address, receiver: borrower, assets: usdc('1') } as const;
    const { value } = await local.read(protocol.lendPreview(strategy, request));
    expect(value?.problem).toMatchObject({ kind: 'DEBT', message: expect.stringContaining('USDC in this market') });
  });

  it('that has lent its tokens names what it can pay', async () => {
    await user.lend(usdc('10000'));
    const { liquidity } = await user.market();
    await govern('lend', [liquidity! - usdc('100')]);
    const preview = await user.withdrawPreview(ALL);
    expect(preview.problem).toMatchObject({ kind: 'LIQUIDITY', maximum: usdc('100') });
    expect((await user.holding()).availableToWithdraw).toBe(usdc('100'));
    expect(market.strategy.receipt.symbol).toBe('clUSDC');
  });

  it('states the rate that it pays', async () => {
    const { yearlyRateRay } = await user.market();
    const abi = parseAbi([
      'function getUtilization() view returns (uint256)',
      'function getSupplyRate(uint256) view returns (uint64)',
    ]);
    const utilization = await local.client.readContract({ address: VAULTS.comet, abi, functionName: 'getUtilization' });
    const args = [utilization] as const;
    const rate = await local.client.readContract({ address: VAULTS.comet, abi, functionName: 'getSupplyRate', args });
    expect(yearlyRateRay).toBe(rate * 31_536_000n * 10n ** 9n);
  });
});
