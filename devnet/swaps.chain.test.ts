import {
  type Address,
  createWalletClient,
  encodeAbiParameters,
  erc20Abi,
  http,
  maxUint256,
  parseAbi,
  parseUnits,
  publicActions,
} from 'viem';
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { chainNamed, snapshotOf, tokenNamed, universeOfTests } from '../test/setup/universe-of-tests';
import type { DevnetChain } from './universe';

const v2Router = parseAbi([
  'function getAmountsOut(uint256 amountIn, address[] path) view returns (uint256[])',
  'function swapExactTokensForTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline) returns (uint256[])',
]);
const v3Quoter = parseAbi([
  'struct Params { address tokenIn; address tokenOut; uint256 amountIn; uint24 fee; uint160 sqrtPriceLimitX96; }',
  'function quoteExactInputSingle(Params params) returns (uint256 amountOut, uint160, uint32, uint256)',
]);
const v3Router = parseAbi([
  'struct Params { address tokenIn; address tokenOut; uint24 fee; address recipient; uint256 amountIn; uint256 amountOutMinimum; uint160 sqrtPriceLimitX96; }',
  'function exactInputSingle(Params params) payable returns (uint256)',
]);

function walletOf(chain: DevnetChain, account: PrivateKeyAccount) {
  return createWalletClient({
    account,
    chain: {
      id: chain.chainId,
      name: chain.name,
      nativeCurrency: chain.nativeCurrency,
      rpcUrls: { default: { http: [chain.rpcUrl] } },
    },
    transport: http(chain.rpcUrl),
    pollingInterval: 10,
  }).extend(publicActions);
}

type Wallet = ReturnType<typeof walletOf>;

const balanceOf = (wallet: Wallet, token: Address) =>
  wallet.readContract({ address: token, abi: erc20Abi, functionName: 'balanceOf', args: [wallet.account.address] });

async function approve(wallet: Wallet, token: Address, [spender, amount]: readonly [Address, bigint]) {
  const abi = parseAbi(['function approve(address spender, uint256 value)']);
  const hash = await wallet.writeContract({ address: token, abi, functionName: 'approve', args: [spender, amount] });
  return wallet.waitForTransactionReceipt({ hash });
}

describe.each(['devnet', 'devnet-l2'] as const)('swaps on %s', (slug) => {
  let chain: DevnetChain;
  let wallet: Wallet;
  let restore: () => Promise<void>;

  beforeEach(async () => {
    const universe = await universeOfTests();
    chain = chainNamed(universe, slug);
    wallet = walletOf(chain, privateKeyToAccount(universe.accounts[1]!.privateKey));
    restore = await snapshotOf(chain);
  });
  afterEach(() => restore());

  it.each([
    ['WETH', 'USDC', '1.5'],
    ['USDC', 'WETH', '4321.000001'],
    ['USDC', 'BRLA', '10000'],
  ])('pays on V2 what the router quoted for %s to %s, to the wei', async (from, to, amount) => {
    const [tokenIn, tokenOut] = [tokenNamed(chain, from), tokenNamed(chain, to)];
    const amountIn = parseUnits(amount, tokenIn.decimals);
    const path = [tokenIn.address, tokenOut.address];
    const { router } = chain.uniswapV2;
    await approve(wallet, tokenIn.address, [router, amountIn]);
    const quoted = await wallet.readContract({
      address: router,
      abi: v2Router,
      functionName: 'getAmountsOut',
      args: [amountIn, path],
    });
    const before = await balanceOf(wallet, tokenOut.address);
    const hash = await wallet.writeContract({
      address: router,
      abi: v2Router,
      functionName: 'swapExactTokensForTokens',
      args: [amountIn, quoted[1]!, path, wallet.account.address, maxUint256],
    });
    await wallet.waitForTransactionReceipt({ hash });
    expect((await balanceOf(wallet, tokenOut.address)) - before).toBe(quoted[1]);
  });

  it.each([
    { from: 'WETH', to: 'USDC', fee: 500, amount: '700' },
    { from: 'USDC', to: 'WETH', fee: 3000, amount: '250000' },
    { from: 'USDT', to: 'USDC', fee: 100, amount: '900000' },
    { from: 'DAI', to: 'USDC', fee: 100, amount: '1234.5' },
    { from: 'WETH', to: 'USDT', fee: 3000, amount: '0.000001' },
  ])('pays on V3 what the quoter quoted for $from to $to at $fee, to the wei', async ({ from, to, fee, amount }) => {
    const [tokenIn, tokenOut] = [tokenNamed(chain, from), tokenNamed(chain, to)];
    const amountIn = parseUnits(amount, tokenIn.decimals);
    const trade = { tokenIn: tokenIn.address, tokenOut: tokenOut.address, fee, amountIn, sqrtPriceLimitX96: 0n };
    const { router, quoter } = chain.uniswapV3;
    await approve(wallet, tokenIn.address, [router, amountIn]);
    const { result } = await wallet.simulateContract({
      address: quoter,
      abi: v3Quoter,
      functionName: 'quoteExactInputSingle',
      args: [trade],
    });
    const before = await balanceOf(wallet, tokenOut.address);
    const hash = await wallet.writeContract({
      address: router,
      abi: v3Router,
      functionName: 'exactInputSingle',
      args: [{ ...trade, recipient: wallet.account.address, amountOutMinimum: result[0] }],
    });
    const receipt = await wallet.waitForTransactionReceipt({ hash });
    expect(receipt.status).toBe('success');
    expect((await balanceOf(wallet, tokenOut.address)) - before).toBe(result[0]);
  });
});

describe('irregular tokens', () => {
  let chain: DevnetChain;
  let wallet: Wallet;
  let restore: () => Promise<void>;

  beforeEach(async () => {
    const universe = await universeOfTests();
    chain = chainNamed(universe, 'devnet');
    wallet = walletOf(chain, privateKeyToAccount(universe.accounts[0]!.privateKey));
    restore = await snapshotOf(chain);
  });
  afterEach(() => restore());

  it('changes an allowance of USDT only to or from zero, and returns nothing', async () => {
    const usdt = tokenNamed(chain, 'USDT').address;
    const spender = chain.uniswapV2.router;
    const { data } = await wallet.call({
      to: usdt,
      data: `0x095ea7b3${encodeAbiParameters([{ type: 'address' }, { type: 'uint256' }], [spender, 5n]).slice(2)}`,
    });
    expect(data).toBeUndefined();
    await approve(wallet, usdt, [spender, 5n]);
    await expect(approve(wallet, usdt, [spender, 6n])).rejects.toThrow('set the allowance to zero first');
    await approve(wallet, usdt, [spender, 0n]);
    await approve(wallet, usdt, [spender, 6n]);
    const allowance = await wallet.readContract({
      address: usdt,
      abi: erc20Abi,
      functionName: 'allowance',
      args: [wallet.account.address, spender],
    });
    expect(allowance).toBe(6n);
  });

  it('delivers 99% of a transfer of TOLL', async () => {
    const toll = tokenNamed(chain, 'TOLL').address;
    const to = '0x00000000000000000000000000000000DeaDBeef';
    const hash = await wallet.writeContract({
      address: toll,
      abi: erc20Abi,
      functionName: 'transfer',
      args: [to, 10_000n],
    });
    await wallet.waitForTransactionReceipt({ hash });
    expect(await wallet.readContract({ address: toll, abi: erc20Abi, functionName: 'balanceOf', args: [to] })).toBe(
      9_900n,
    );
  });

  it('refuses transfers of RUSD while it is paused and to barred accounts', async () => {
    const rusd = tokenNamed(chain, 'RUSD').address;
    const to = '0x00000000000000000000000000000000DeaDBeef';
    const issuer = parseAbi(['function pause()', 'function unpause()', 'function blacklist(address account)']);
    const transfer = () =>
      wallet.simulateContract({ address: rusd, abi: erc20Abi, functionName: 'transfer', args: [to, 1n] });
    await transfer();
    await wallet.waitForTransactionReceipt({
      hash: await wallet.writeContract({ address: rusd, abi: issuer, functionName: 'pause' }),
    });
    await expect(transfer()).rejects.toThrow('Pausable: paused');
    await wallet.waitForTransactionReceipt({
      hash: await wallet.writeContract({ address: rusd, abi: issuer, functionName: 'unpause' }),
    });
    const hash = await wallet.writeContract({ address: rusd, abi: issuer, functionName: 'blacklist', args: [to] });
    await wallet.waitForTransactionReceipt({ hash });
    await expect(transfer()).rejects.toThrow('Blacklistable: account is blacklisted');
  });
});
