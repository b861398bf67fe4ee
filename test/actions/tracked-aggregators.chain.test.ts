import {
  type Address,
  createWalletClient,
  decodeFunctionData,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  http,
  parseAbi,
  parseEther,
  parseUnits,
  publicActions,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import type { HttpEmulator } from '../../devnet/emulators/http-emulator';
import { diamondAbi } from '../../devnet/emulators/lifi/diamond';
import { startLifiEmulator } from '../../devnet/emulators/lifi/start-lifi-emulator';
import { startZeroExEmulator } from '../../devnet/emulators/zero-ex/start-zero-ex-emulator';
import { trackerOf, trackUntil } from './local-tracker';
import { createSampleAction } from './sample-action';
import { asChain, builtCall, localRequest, localToken, rpcOf } from '../contract/local-swaps';
import { minedReceipt } from '../setup/mined-receipt';
import { createTestDatabase, type TestDatabase } from '../setup/test-database';
import { chainNamed, type TestUniverse, universeOfTests } from '../setup/universe-of-tests';
import { createHttpClient, type HttpClient } from '../../src/http/http-client';
import { toBaseUnits } from '../../src/money/base-units';
import { createLifiProvider } from '../../src/venues/providers/lifi/lifi';
import { createZeroExProvider } from '../../src/venues/providers/zero-ex/zero-ex';
import type { QuoteProvider } from '../../src/venues/quote-provider';
import { getAction } from '../../src/actions/get-action';
import { runTrackerOnce } from '../../src/actions/tracker/run-tracker-once';
import type { TrackerDeps } from '../../src/actions/tracker/tracker-deps';

const RECEIVER: Address = '0x00000000000000000000000000000000000A11cE';
const ROUTER_ITSELF: Address = '0x0000000000000000000000000000000000000002';
const MAX = 2n ** 256n - 1n;
const router = parseAbi([
  'struct Single { address tokenIn; address tokenOut; uint24 fee; address recipient; uint256 amountIn; uint256 amountOutMinimum; uint160 sqrtPriceLimitX96; }',
  'function exactInputSingle(Single) payable returns (uint256)',
  'function sweepToken(address, uint256, address) payable',
  'function multicall(bytes[]) payable returns (bytes[])',
]);

let test: TestDatabase;
let universe: TestUniverse;
let chain: TestUniverse['chains'][number];
let account: TestUniverse['accounts'][number];
let deps: TrackerDeps;
let emulators: { readonly lifi: HttpEmulator; readonly zeroEx: HttpEmulator };
let clients: { readonly lifi: HttpClient; readonly zeroEx: HttpClient };
beforeAll(async () => {
  [universe, test] = await Promise.all([universeOfTests(), createTestDatabase()]);
  [chain, account] = [chainNamed(universe, 'devnet'), universe.accounts[3]!];
  deps = trackerOf(test.database, asChain(chain), chain.rpcUrl);
  const { chains } = universe;
  emulators = { lifi: await startLifiEmulator({ chains }), zeroEx: await startZeroExEmulator({ chains }) };
  clients = {
    lifi: createHttpClient({ baseUrl: emulators.lifi.url }),
    zeroEx: createHttpClient({
      baseUrl: emulators.zeroEx.url,
      headers: { '0x-api-key': 'a key', '0x-version': 'v2' },
    }),
  };
  await runTrackerOnce(deps, chain.chainId);
});
afterAll(async () => {
  await Promise.all([clients.lifi.close(), clients.zeroEx.close()]);
  await Promise.all([emulators.lifi.stop(), emulators.zeroEx.stop(), test.drop()]);
});

const wallet = () =>
  createWalletClient({ account: privateKeyToAccount(account.privateKey), transport: http(chain.rpcUrl) }).extend(
    publicActions,
  );
const lifi = () => createLifiProvider({ http: clients.lifi, rpc: rpcOf(universe.chains) });
const zeroEx = () => createZeroExProvider({ http: clients.zeroEx, rpc: rpcOf(universe.chains) });

interface Call {
  readonly to: Address;
  readonly data: Hex;
  readonly value: bigint;
}
type Pair = readonly [tokenIn: string, tokenOut: string];

async function send({ to, data, value }: Call): Promise<void> {
  const hash = await wallet().sendTransaction({ chain: null, to, data, value, gas: 3_000_000n });
  await minedReceipt(wallet(), hash);
}

const addressOf = (symbol: string) => localToken(chain, symbol).address as Address;

async function approve(symbol: string, spender: Address): Promise<void> {
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [spender, MAX] });
  await send({ to: addressOf(symbol), data, value: 0n });
}

/** The call that an aggregator builds for a swap. */
async function callOf(provider: QuoteProvider, pair: Pair, amount: bigint): Promise<Call> {
  const sender = account.address;
  const request = localRequest({ chain, pair, amount, sender, recipient: RECEIVER });
  const quote = await provider.quote(request, AbortSignal.timeout(10_000));
  if (quote === undefined) throw new Error(`${provider.id} has no route`);
  const deadline = Math.floor(Date.now() / 1000) + 3600;
  const { to, data, value } = await builtCall(provider, { request, quote, sender, recipient: RECEIVER, deadline });
  return { to: to as Address, data, value };
}

/** The action of a swap with this call, after the call was sent and has become final. */
async function carriedOut(call: Call, { pair, amount, status }: { pair: Pair; amount: bigint; status: string }) {
  const { id, customerId } = await createSampleAction(test.database, {
    chainIdIn: chain.chainId,
    chainIdOut: chain.chainId,
    originAddress: account.address,
    receiverAddress: RECEIVER,
    tokenIn: localToken(chain, pair[0]),
    tokenOut: localToken(chain, pair[1]),
    amountIn: toBaseUnits(amount),
    minAmountOut: toBaseUnits(1n),
    calls: [{ sender: account.address, target: call.to, data: call.data }],
    value: call.value,
  });
  await send(call);
  await trackUntil(deps, { actionId: id, chainId: chain.chainId, status });
  return getAction(deps, { customerId, actionId: id });
}

describe('a tracked swap through an aggregator', () => {
  it('has spent the whole coin that was sold, with the fee of LI.FI', async () => {
    const amount = parseEther('0.3');
    const call = await callOf(lifi(), ['ETH', 'USDC'], amount);
    const { amounts } = await carriedOut(call, { pair: ['ETH', 'USDC'], amount, status: 'SUCCESS' });
    expect(amounts.assetIn?.amountRaw).toBe(amount.toString());
    expect(Number(amounts.assetIn?.amountInUSD)).toBe(100); // as quoted
  });

  it('has received the coin that arrived, without the fee of 0x', async () => {
    const takeFee = (feeBps: number) =>
      clients.zeroEx.post('/_control/quotes', { feeBps }, AbortSignal.timeout(10_000));
    await takeFee(50);
    const amount = parseUnits('400', 6);
    await approve('USDC', chain.uniswapV3.router);
    const call = await callOf(zeroEx(), ['USDC', 'ETH'], amount);
    const before = await wallet().getBalance({ address: RECEIVER });
    const { amounts } = await carriedOut(call, { pair: ['USDC', 'ETH'], amount, status: 'SUCCESS' });
    const arrived = (await wallet().getBalance({ address: RECEIVER })) - before;
    expect(amounts.assetOut?.amountRaw).toBe(arrived.toString());
    expect(amounts.assetIn?.amountRaw).toBe(amount.toString());
    await takeFee(0);
  });

  it('fails with SLIPPAGE_EXCEEDED when LI.FI would pay out less than the minimum', async () => {
    const amount = parseEther('0.2');
    const call = await callOf(lifi(), ['ETH', 'USDC'], amount);
    const decoded = decodeFunctionData({ abi: diamondAbi, data: call.data });
    if (decoded.functionName !== 'swap') throw new Error('it is no swap');
    const [order, step] = decoded.args;
    const args = [{ ...order, minimum: MAX }, step] as const;
    const data = encodeFunctionData({ abi: diamondAbi, functionName: 'swap', args });
    const action = await carriedOut({ ...call, data }, { pair: ['ETH', 'USDC'], amount, status: 'FAILED' });
    expect(action).toMatchObject({
      substatus: 'SLIPPAGE_EXCEEDED',
      failureReason: 'The transaction reverted: less would be received than the minimum',
    });
  });

  it('fails with SLIPPAGE_EXCEEDED when the collected outputs of a split are below the minimum', async () => {
    const amount = parseUnits('20', 6);
    const tokenOut = addressOf('BRLA');
    await approve('USDC', chain.uniswapV3.router);
    const single = {
      tokenIn: addressOf('USDC'),
      tokenOut,
      fee: 100,
      recipient: ROUTER_ITSELF,
      amountIn: amount,
      amountOutMinimum: 0n,
      sqrtPriceLimitX96: 0n,
    };
    const swap = encodeFunctionData({ abi: router, functionName: 'exactInputSingle', args: [single] });
    const payout = encodeFunctionData({ abi: router, functionName: 'sweepToken', args: [tokenOut, MAX, RECEIVER] });
    const data = encodeFunctionData({ abi: router, functionName: 'multicall', args: [[swap, payout]] });
    const call = { to: chain.uniswapV3.router, data, value: 0n };
    const action = await carriedOut(call, { pair: ['USDC', 'BRLA'], amount, status: 'FAILED' });
    expect(action).toMatchObject({ substatus: 'SLIPPAGE_EXCEEDED' });
  });
});
