import {
  type Address,
  createWalletClient,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  http,
  parseAbi,
  parseEther,
  parseUnits,
  publicActions,
  TransactionNotFoundError,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { trackerOf, trackUntil } from '../../../test/actions/local-tracker';
import { createSampleAction, historyOf } from '../../../test/actions/sample-action';
import { asChain, localToken } from '../../../test/contract/local-swaps';
import { minedReceipt } from '../../../test/setup/mined-receipt';
import { createTestDatabase, type TestDatabase } from '../../../test/setup/test-database';
import { chainNamed, type TestUniverse, universeOfTests } from '../../../test/setup/universe-of-tests';
import { usd } from '../../../test/setup/usd';
import { toBaseUnits } from '../../money/base-units';
import { getAction } from '../get-action';
import { runTrackerOnce } from './run-tracker-once';
import type { TrackerDeps } from './tracker-deps';

const RECEIVER: Address = '0x00000000000000000000000000000000000A11cE';
const NEVER = 2n ** 60n;
const MAX = 2n ** 256n - 1n;
const v2 = parseAbi([
  'function swapExactTokensForTokens(uint256,uint256,address[],address,uint256) returns (uint256[])',
  'function swapExactTokensForETH(uint256,uint256,address[],address,uint256) returns (uint256[])',
  'function swapETHForExactTokens(uint256,address[],address,uint256) payable returns (uint256[])',
]);
const v3 = parseAbi([
  'struct Single { address tokenIn; address tokenOut; uint24 fee; address recipient; uint256 amountIn; uint256 amountOutMinimum; uint160 sqrtPriceLimitX96; }',
  'function exactInputSingle(Single) payable returns (uint256)',
]);

let test: TestDatabase;
let chain: TestUniverse['chains'][number];
let account: TestUniverse['accounts'][number];
let deps: TrackerDeps;
beforeAll(async () => {
  const universe = await universeOfTests();
  [chain, account, test] = [chainNamed(universe, 'devnet'), universe.accounts[3]!, await createTestDatabase()];
  deps = trackerOf(test.database, asChain(chain), chain.rpcUrl);
  await runTrackerOnce(deps, chain.chainId);
});
afterAll(() => test.drop());

const token = (symbol: string) => localToken(chain, symbol);
const addressOf = (symbol: string) => token(symbol).address as Address;
const wallet = () =>
  createWalletClient({ account: privateKeyToAccount(account.privateKey), transport: http(chain.rpcUrl) }).extend(
    publicActions,
  );

interface Call {
  readonly to: Address;
  readonly data: Hex;
  readonly value?: bigint;
}

interface Sent extends Call {
  readonly gas?: bigint;
}

async function send({ to, data, value = 0n, gas = 400_000n }: Sent): Promise<Hex> {
  const hash = await wallet().sendTransaction({ chain: null, to, data, value, gas });
  await minedReceipt(wallet(), hash);
  return hash;
}

const approval = (symbol: string, spender: Address): Call => ({
  to: addressOf(symbol),
  data: encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [spender, MAX] }),
});

interface Trade {
  readonly pair: readonly [string, string];
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  readonly minAmountOut?: bigint;
}

/** The action of a swap with these calls; the last one executes it. */
const actionOf = ({ pair, amountIn, amountOut, minAmountOut = 1n }: Trade, calls: readonly Call[]) =>
  createSampleAction(test.database, {
    chainIdIn: chain.chainId,
    chainIdOut: chain.chainId,
    originAddress: account.address,
    receiverAddress: RECEIVER,
    tokenIn: token(pair[0]),
    tokenOut: token(pair[1]),
    amountIn: toBaseUnits(amountIn),
    amountOut: toBaseUnits(amountOut),
    amountInUsd: usd('100'),
    amountOutUsd: usd('100'),
    minAmountOut: toBaseUnits(minAmountOut),
    steps: [{ kind: 'SWAP', operator: 'USER', protocol: 'uniswap', chainId: chain.chainId }],
    calls: calls.map(({ to, data }) => ({ sender: account.address, target: to, data })),
    value: calls.at(-1)?.value ?? 0n,
  });

const ended = async (actionId: string, status: string) => {
  await trackUntil(deps, { actionId, chainId: chain.chainId, status });
  const { customerId } = await test.database.action.findUniqueOrThrow({ where: { id: actionId } });
  return getAction(deps, { customerId: customerId as never, actionId });
};

const exactInput = (amountIn: bigint, minimum: bigint, recipient: Address = RECEIVER): Call => ({
  to: chain.uniswapV3.router,
  data: encodeFunctionData({
    abi: v3,
    args: [
      {
        tokenIn: addressOf('USDC'),
        tokenOut: addressOf('BRLA'),
        fee: 100,
        recipient,
        amountIn,
        amountOutMinimum: minimum,
        sqrtPriceLimitX96: 0n,
      },
    ],
  }),
});

describe('a tracked swap', () => {
  it('succeeds with the amount that arrived, and shows its approval', async () => {
    const amountIn = parseUnits('250', 6);
    const [approve, swap] = [approval('USDC', chain.uniswapV3.router), exactInput(amountIn, 1n)];
    const promised = parseUnits('1000', 18);
    const { id } = await actionOf({ pair: ['USDC', 'BRLA'], amountIn, amountOut: promised }, [approve, swap]);
    const before = await balance('BRLA');
    const approvalHash = await send(approve);
    await runTrackerOnce(deps, chain.chainId);
    expect(await test.database.action.findUnique({ where: { id } })).toMatchObject({ status: 'INITIAL' });
    const txHash = await send(swap);
    const arrived = (await balance('BRLA')) - before;
    const action = await ended(id, 'SUCCESS');
    expect(action.amounts.assetOut?.amountRaw).toBe(arrived.toString());
    expect(action.amounts.assetIn?.amountRaw).toBe(amountIn.toString());
    const expectedUsd = (Number(arrived) / Number(promised)) * 100;
    expect(Number(action.amounts.assetOut?.amountInUSD)).toBeCloseTo(expectedUsd, 4);
    expect(action.transactions).toMatchObject([
      { txHash: approvalHash, status: 'SUCCESS', chain: { id: chain.chainId, name: chain.name } },
      { txHash, status: 'SUCCESS', blockNumber: expect.any(Number), timestamp: expect.any(Date) },
    ]);
    expect(action.steps).toMatchObject([
      {
        txHash,
        status: 'CONFIRMED',
        legs: [
          { kind: 'APPROVAL', status: 'CONFIRMED' },
          { kind: 'SWAP', status: 'CONFIRMED' },
        ],
      },
    ]);
    expect(action.amounts.breakdown.map(({ type, status }) => [type, status])).toEqual([
      ['APPROVAL', 'completed'],
      ['SWAP', 'completed'],
    ]);
  });

  it('has the received amount of the native coin, and the spent amount of an exact output', async () => {
    const out = encodeFunctionData({
      abi: v2,
      functionName: 'swapExactTokensForETH',
      args: [parseUnits('300', 6), 1n, [addressOf('USDC'), addressOf('WETH')], RECEIVER, NEVER],
    });
    await send(approval('USDC', chain.uniswapV2.router));
    const selling = await actionOf(
      { pair: ['USDC', 'ETH'], amountIn: parseUnits('300', 6), amountOut: parseEther('1') },
      [{ to: chain.uniswapV2.router, data: out }],
    );
    const before = await balance('ETH');
    await send({ to: chain.uniswapV2.router, data: out });
    const arrived = (await balance('ETH')) - before;
    expect((await ended(selling.id, 'SUCCESS')).amounts.assetOut?.amountRaw).toBe(arrived.toString());

    const wanted = parseUnits('500', 6);
    const value = parseEther('1');
    const data = encodeFunctionData({
      abi: v2,
      functionName: 'swapETHForExactTokens',
      args: [wanted, [addressOf('WETH'), addressOf('USDC')], RECEIVER, NEVER],
    });
    const swap = { to: chain.uniswapV2.router, data, value };
    const buying = await actionOf({ pair: ['ETH', 'USDC'], amountIn: value, amountOut: wanted }, [swap]);
    const pool = await wethOutsideOfWallets();
    await send(swap);
    const spent = (await wethOutsideOfWallets()) - pool;
    const { amounts } = await ended(buying.id, 'SUCCESS');
    expect(amounts.assetOut?.amountRaw).toBe(wanted.toString());
    expect(amounts.assetIn?.amountRaw).toBe(spent.toString());
    expect(spent).toBeLessThan(value);
  });

  it('fails with a readable reason when the price moved too far', async () => {
    const amountIn = parseUnits('10', 6);
    await send(approval('USDC', chain.uniswapV3.router));
    const swap = exactInput(amountIn, parseUnits('100', 18));
    const { id } = await actionOf({ pair: ['USDC', 'BRLA'], amountIn, amountOut: 1n }, [swap]);
    const txHash = await send(swap);
    const action = await ended(id, 'FAILED');
    expect(action).toMatchObject({ substatus: 'SLIPPAGE_EXCEEDED' });
    expect(action.failureReason).toBe('The transaction reverted: less would be received than the minimum');
    expect(action.steps).toMatchObject([{ txHash, status: 'FAILED', failureReason: action.failureReason }]);
    expect(await historyOf(test.database, id)).toEqual([
      '>INITIAL WAITING_ORIGIN',
      'INITIAL>PENDING WAITING_CONFIRMATIONS',
      'PENDING>FAILED SLIPPAGE_EXCEEDED',
    ]);
  });

  it('does not succeed when its venue delivered less than the minimum, or to another account', async () => {
    const amountIn = parseUnits('10', 6);
    const promised = parseUnits('100', 18);
    await send(approval('USDC', chain.uniswapV3.router));
    for (const [recipient, reason] of [
      [RECEIVER, /^Only \d+\.\d+ BRLA arrived, less than the minimum of 100 BRLA$/],
      [account.address, /^Only 0 BRLA arrived/],
    ] as const) {
      const swap = exactInput(amountIn, 1n, recipient);
      const trade = { pair: ['USDC', 'BRLA'], amountIn, amountOut: promised, minAmountOut: promised } as const;
      const { id } = await actionOf(trade, [swap]);
      const txHash = await send(swap);
      const action = await ended(id, 'FAILED');
      expect(action).toMatchObject({ substatus: 'PARTIAL', failureReason: expect.stringMatching(reason) });
      expect(action.steps).toMatchObject([{ txHash, status: 'CONFIRMED' }]);
    }
  });

  it('distinguishes a transaction that ran out of gas from one after its deadline', async () => {
    const amountIn = parseUnits('11', 6);
    await send(approval('USDC', chain.uniswapV3.router));
    const starving = exactInput(amountIn, 1n);
    const starved = await actionOf({ pair: ['USDC', 'BRLA'], amountIn, amountOut: 1n }, [starving]);
    await send({ ...starving, gas: 60_000n });
    const data = encodeFunctionData({
      abi: v2,
      functionName: 'swapExactTokensForTokens',
      args: [amountIn, 1n, [addressOf('USDC'), addressOf('BRLA')], RECEIVER, 1n],
    });
    const late = { to: chain.uniswapV2.router, data };
    const expired = await actionOf({ pair: ['USDC', 'BRLA'], amountIn, amountOut: 1n }, [late]);
    await send(late);
    const outOfGas = { substatus: 'OUT_OF_GAS', failureReason: 'The transaction ran out of gas' };
    expect(await ended(starved.id, 'FAILED')).toMatchObject(outOfGas);
    expect(await ended(expired.id, 'FAILED')).toMatchObject({ substatus: 'EXPIRED' });
  });

  it('is not delayed by another swap whose transaction the node cannot explain', async () => {
    const amountIn = parseUnits('12', 6);
    await send(approval('USDC', chain.uniswapV3.router));
    const swaps = [exactInput(amountIn, 1n), exactInput(amountIn, 2n)];
    const trade = { pair: ['USDC', 'BRLA'], amountIn, amountOut: 1n } as const;
    const [stuck, other] = [await actionOf(trade, [swaps[0]!]), await actionOf(trade, [swaps[1]!])];
    const hash = await send(swaps[0]!);
    await send(swaps[1]!);
    const client = deps.rpc.client(chain.chainId);
    const forgetful = Object.assign(Object.create(client) as typeof client, {
      getTransaction: (parameters: { hash: Hex }) =>
        parameters.hash === hash
          ? Promise.reject(new TransactionNotFoundError({ hash }))
          : client.getTransaction(parameters),
    });
    const partial = { ...deps, rpc: { ...deps.rpc, client: () => forgetful } };
    await trackUntil(partial, { actionId: other.id, chainId: chain.chainId, status: 'SUCCESS' });
    expect(await test.database.action.findUnique({ where: { id: stuck.id } })).toMatchObject({ status: 'PENDING' });
    await test.database.quarantine.updateMany({ where: { actionId: stuck.id }, data: { nextAt: new Date(0) } });
    await ended(stuck.id, 'SUCCESS');
  });
});

async function balance(symbol: string): Promise<bigint> {
  const reader = wallet();
  if (symbol === 'ETH') return reader.getBalance({ address: RECEIVER });
  return reader.readContract({
    address: addressOf(symbol),
    abi: erc20Abi,
    functionName: 'balanceOf',
    args: [RECEIVER],
  });
}

const wethOutsideOfWallets = () =>
  wallet().readContract({ address: addressOf('WETH'), abi: erc20Abi, functionName: 'totalSupply' });
