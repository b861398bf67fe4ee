import { type Address, decodeFunctionData, type Hex, maxUint256 } from 'viem';
import { RECEIPT, sampleStrategy, UNDERLYING, WALLET } from '../../../test/strategies/sample-strategy';
import { STRATEGY_ROUTER_ADDRESS as router } from '../../chains/strategy-router';
import type { Preview, WithdrawAmount } from '../protocols/protocol';
import type { DirectProtocolName } from '../strategy-row';
import { ROUTER_ABI } from './router-abi';
import { depositLoss, withdrawalLoss } from './router-bounds';
import { depositCall, withdrawalCall } from './router-calls';

const COLLECTOR: Address = '0x00000000000000000000000000000000000C0111';
const fees = [{ recipient: COLLECTOR, amount: 7n }];
const common = { router, fees, deadline: 99n };
const decoded = (data: Hex) => decodeFunctionData({ abi: ROUTER_ABI, data });

const depositInto = (protocol: DirectProtocolName) =>
  depositCall(sampleStrategy(protocol), {
    ...common,
    lend: { wallet: WALLET, receiver: COLLECTOR, assets: 1000n },
    minReceipt: 990n,
  });

function withdrawFrom(protocol: DirectProtocolName, amount: WithdrawAmount, preview: Partial<Preview> = {}) {
  const call = withdrawalCall(sampleStrategy(protocol), {
    ...common,
    withdraw: { wallet: WALLET, receiver: COLLECTOR, amount },
    preview: { assets: 1000n, shares: 900n, problem: undefined, ...preview },
    minAssets: 980n,
    maxShares: 903n,
  });
  const { functionName, args } = decoded(call.data);
  return { functionName, terms: args[0], allowance: call.allowance };
}

describe.each([
  ['erc4626', 'depositVault'],
  ['aave-v3', 'supplyAave'],
  ['compound-v3', 'supplyComet'],
] as const)('a deposit into %s', (protocol, functionName) => {
  it('is a call of the router that may take exactly the assets and the fees', () => {
    const { to, value, data, allowance } = depositInto(protocol);
    expect([to, value, allowance]).toEqual([router, 0n, { token: UNDERLYING, spender: router, amount: 1007n }]);
    expect(decoded(data)).toMatchObject({
      functionName,
      args: [{ asset: UNDERLYING, assets: 1000n, receiver: COLLECTOR, minReceipt: 990n, fees, deadline: 99n }],
    });
  });
});

describe('a withdrawal', () => {
  it('of assets from a vault takes a bounded number of shares, and one of shares exactly these', () => {
    expect(withdrawFrom('erc4626', { kind: 'assets', assets: 1000n })).toMatchObject({
      functionName: 'withdrawVault',
      terms: { amount: 1000n, maxReceipt: 903n, minAssets: 980n, fees, receiver: COLLECTOR },
      allowance: { token: RECEIPT, spender: router, amount: 903n },
    });
    for (const amount of [{ kind: 'shares', shares: 900n }, { kind: 'all' }] as const)
      expect(withdrawFrom('erc4626', amount)).toMatchObject({
        functionName: 'redeemVault',
        terms: { amount: 900n, maxReceipt: 900n },
        allowance: { amount: 900n },
      });
  });

  it('of everything from a lending market takes the interest until it is mined as well', () => {
    const all = [{ kind: 'all' }, { isWhole: true, assets: 1_000_000n }] as const;
    expect(withdrawFrom('aave-v3', ...all)).toMatchObject({
      functionName: 'withdrawAave',
      terms: { amount: maxUint256, maxReceipt: 1_003_002n },
      allowance: { amount: 1_003_002n },
    });
    expect(withdrawFrom('compound-v3', ...all)).toMatchObject({
      functionName: 'withdrawComet',
      terms: { amount: maxUint256, maxReceipt: 1_003_002n },
      allowance: { amount: maxUint256 },
    });
  });

  it('of a part from a lending market takes no more than rounding on top', () => {
    const part = { kind: 'assets', assets: 1000n } as const;
    expect(withdrawFrom('aave-v3', part)).toMatchObject({ terms: { amount: 1000n, maxReceipt: 1002n } });
    expect(withdrawFrom('compound-v3', part)).toMatchObject({ terms: { amount: 1000n, maxReceipt: 1002n } });
  });
});

describe('the bounds of an operation', () => {
  const vault = sampleStrategy('erc4626');

  it('are 0.3 % for vaults, or the slippage of the request, and none for markets without a price', () => {
    expect(depositLoss(vault, 1_000_000n, undefined)).toBe(3000n);
    expect(depositLoss(vault, 1_000_000n, '0.0005')).toBe(500n);
    expect(withdrawalLoss(vault, 1_000_000n, '0.02')).toBe(20_000n);
    expect(depositLoss(sampleStrategy('aave-v3'), 1_000_000n, '0.02')).toBe(0n);
    expect(withdrawalLoss(sampleStrategy('compound-v3'), 1_000_000n, undefined)).toBe(0n);
  });

  it('accept no more than rounding where a redemption passes losses on', () => {
    const lossBound = { ...vault, contracts: { ...vault.contracts, lossBound: RECEIPT } };
    expect(withdrawalLoss(lossBound, 1_000_000n, undefined)).toBe(100n);
    expect(depositLoss(lossBound, 1_000_000n, undefined)).toBe(3000n);
  });
});
