import { type Address, type Hex, encodeFunctionData, maxUint256, parseAbi, parseUnits } from 'viem';
import { CANONICAL } from './canonical-addresses';
import type { JsonRpc } from './json-rpc';
import type { PoolPlan } from './liquidity';
import { type PoolSide, currentTicks, mintPositions, poolInitialization } from './provide-v3-liquidity';
import { type SetupCall, inOrder, runTransactions } from './setup-transactions';
import type { DevnetTokens } from './tokens';

/** Owns the liquidity and pays for it. An account without a known key. */
export const LIQUIDITY_PROVIDER: Address = '0x5eeD5EED5eeD5EEd5eed5eEd5eEd5eed5EeD5EEd';

const token = parseAbi([
  'function mint(address to, uint256 value)',
  'function approve(address spender, uint256 value)',
]);
const wrapper = parseAbi(['function deposit() payable', 'function transfer(address to, uint256 value)']);
const router = parseAbi([
  'function addLiquidity(address tokenA, address tokenB, uint256 amountADesired, uint256 amountBDesired, uint256 amountAMin, uint256 amountBMin, address to, uint256 deadline)',
]);
const multicall = parseAbi([
  'struct Call { address target; bool allowFailure; uint256 value; bytes callData; }',
  'function aggregate3Value(Call[] calls) payable',
]);

/** Whole tokens available to fill the pools. */
const PROVIDER_FUNDS = '1000000000000';
const WRAPPED = parseUnits('100000', 18);

/** The sides of a pool: base and quote. */
function poolSides(tokens: DevnetTokens, { base, quote, price, depth }: PoolPlan): readonly [PoolSide, PoolSide] {
  const { address, decimals } = tokens[base];
  const amount = parseUnits(depth, decimals);
  const quoteAmount = (amount * parseUnits(price, tokens[quote].decimals)) / 10n ** BigInt(decimals);
  return [
    { address, amount },
    { address: tokens[quote].address, amount: quoteAmount },
  ];
}

/** Grants the accounts their tokens, opens the pools and fills them. The provider must be impersonated. */
export async function provideLiquidity(
  rpc: JsonRpc,
  { tokens, pools, accounts }: { tokens: DevnetTokens; pools: readonly PoolPlan[]; accounts: readonly Address[] },
): Promise<void> {
  const concentrated = pools
    .filter(({ fee }) => fee !== undefined)
    .map((plan) => ({ ...plan, sides: poolSides(tokens, plan) }));
  const opening = [
    ...fundingCalls(tokens),
    grants(tokens, accounts),
    ...concentrated.map((pool) => poolInitialization(pool)),
    ...pools.filter(({ fee }) => fee === undefined).map((plan) => constantProduct(tokens, plan)),
  ];
  await runTransactions(rpc, inOrder(LIQUIDITY_PROVIDER, 0, opening));
  const ticks = await currentTicks(rpc, concentrated);
  const positions = concentrated.flatMap((pool, index) => mintPositions(pool, ticks[index] ?? 0, LIQUIDITY_PROVIDER));
  await runTransactions(rpc, inOrder(LIQUIDITY_PROVIDER, opening.length, positions));
}

function fundingCalls(tokens: DevnetTokens): readonly SetupCall[] {
  const spenders = [CANONICAL.v2Router, CANONICAL.v3PositionManager];
  return Object.values(tokens).flatMap(({ symbol, address, decimals, deployment }) => {
    const minted = encodeFunctionData({
      abi: token,
      functionName: 'mint',
      args: [LIQUIDITY_PROVIDER, parseUnits(PROVIDER_FUNDS, decimals)],
    });
    const deposited = encodeFunctionData({ abi: wrapper, functionName: 'deposit' });
    return [
      deployment === undefined
        ? { label: `deposit of ${symbol}`, to: address, data: deposited, value: WRAPPED }
        : { label: `mint of ${symbol}`, to: address, data: minted },
      ...spenders.map((spender) => ({
        label: `approval of ${symbol}`,
        to: address,
        data: encodeFunctionData({ abi: token, functionName: 'approve', args: [spender, maxUint256] }),
      })),
    ];
  });
}

/** All grants in one transaction: the multicall contract may mint too, and passes on what it wraps. */
function grants(tokens: DevnetTokens, accounts: readonly Address[]): SetupCall {
  const { WETH, ...minted } = tokens;
  const value = WETH.grant * BigInt(accounts.length);
  const call = (target: Address, callData: Hex, sent = 0n) => ({ target, allowFailure: false, value: sent, callData });
  const calls = [
    call(WETH.address, encodeFunctionData({ abi: wrapper, functionName: 'deposit' }), value),
    ...accounts.map((account) =>
      call(WETH.address, encodeFunctionData({ abi: wrapper, functionName: 'transfer', args: [account, WETH.grant] })),
    ),
    ...Object.values(minted).flatMap(({ address, grant }) =>
      accounts.map((account) =>
        call(address, encodeFunctionData({ abi: token, functionName: 'mint', args: [account, grant] })),
      ),
    ),
  ];
  const data = encodeFunctionData({ abi: multicall, args: [calls] });
  return { label: 'grants to the accounts', to: CANONICAL.multicall3, data, value };
}

function constantProduct(tokens: DevnetTokens, plan: PoolPlan): SetupCall {
  const [base, quote] = poolSides(tokens, plan);
  const data = encodeFunctionData({
    abi: router,
    args: [base.address, quote.address, base.amount, quote.amount, 0n, 0n, LIQUIDITY_PROVIDER, maxUint256],
  });
  return { label: `V2 pool ${plan.base}/${plan.quote}`, to: CANONICAL.v2Router, data };
}
