import {
  createWalletClient,
  erc20Abi,
  encodeFunctionData,
  getAddress,
  type Hex,
  http,
  parseAbi,
  parseUnits,
  publicActions,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { localRequest, localToken, type LocalSwap, rpcOf } from '../../../test/contract/local-swaps';
import { minedReceipt } from '../../../test/setup/mined-receipt';
import { chainNamed, snapshotOf, type TestUniverse, universeOfTests } from '../../../test/setup/universe-of-tests';
import { uuidV7 } from '../../persistence/uuid-v7';
import { createUniswapV2Provider } from '../../venues/providers/uniswap-v2/uniswap-v2';
import { createUniswapV3Provider } from '../../venues/providers/uniswap-v3/uniswap-v3';
import { createWrapProvider } from '../../venues/providers/wrap/wrap';
import type { QuoteProvider, UnsignedCall } from '../../venues/quote-provider';
import type { Rpc } from '../../rpc/rpc';
import { fakeOutputs } from '../../../test/swaps/fake-outputs';
import { CUSTOMER } from '../../../test/swaps/swap-world';
import type { ExecutableParameters } from './executable';
import { buildExecutable } from './build-executable';
import { localPools } from '../../../test/contract/local-pools';

const OTHER = '0x00000000000000000000000000000000000A11cE';
const POOR = getAddress(`0x${'b0b'.padStart(40, '0')}`);
type Swap = Omit<LocalSwap, 'chain' | 'sender' | 'recipient'> & { sender?: Hex; provider?: string };

let universe: TestUniverse;
let rpc: Rpc;
let providers: readonly QuoteProvider[];
let goBack: () => Promise<void>;

beforeAll(async () => {
  universe = await universeOfTests();
  rpc = rpcOf(universe.chains);
  const deps = localPools(rpc);
  providers = [createUniswapV2Provider(deps), createUniswapV3Provider(deps), createWrapProvider({ rpc })];
});
const devnet = () => chainNamed(universe, 'devnet');
const account = () => universe.accounts[2]!;
beforeEach(async () => {
  goBack = await snapshotOf(devnet());
});
afterEach(() => goBack());

const plain = () =>
  ({
    customerId: CUSTOMER,
    quoteId: uuidV7(),
    actionId: uuidV7(),
    output: 'bytecode',
    accountId: undefined,
    sponsored: false,
    deadline: new Date(Date.now() + 300_000),
    signal: AbortSignal.timeout(10_000),
  }) satisfies Partial<ExecutableParameters>;

async function build({ provider: id = 'uniswapV3', sender = account().address, ...swap }: Swap) {
  const request = localRequest({ chain: devnet(), sender, recipient: OTHER, ...swap });
  const provider = providers.find((candidate) => candidate.id === id)!;
  const offer = await provider.quote(request, AbortSignal.timeout(10_000));
  const built = await buildExecutable(
    { providers, rpc, ...fakeOutputs() },
    { ...plain(), request, offer: offer!, sender, recipient: OTHER },
  );
  if (built.kind !== 'calls') throw new Error('the executable has no calls');
  return { ...built, offer: offer! };
}

/** Signs and sends the calls. Returns the gas used by each. */
async function send(calls: readonly UnsignedCall[], index = 2): Promise<readonly bigint[]> {
  const signer = createWalletClient({
    account: privateKeyToAccount(universe.accounts[index]!.privateKey),
    transport: http(devnet().rpcUrl),
    pollingInterval: 10,
  }).extend(publicActions);
  const used: bigint[] = [];
  for (const { to, data, value } of calls) {
    const hash = await signer.sendTransaction({ to: to as Hex, data, value, gas: 3_000_000n, chain: null });
    const { status, gasUsed } = await minedReceipt(signer, hash);
    expect(status).toBe('success');
    used.push(gasUsed);
  }
  return used;
}

const call = (symbol: string, data: Hex): UnsignedCall => ({
  chainId: devnet().chainId,
  from: account().address,
  to: localToken(devnet(), symbol).address,
  data,
  value: 0n,
});
const received = async (symbol: string): Promise<bigint> => {
  const token = localToken(devnet(), symbol);
  const client = rpc.client(devnet().chainId);
  return symbol === 'ETH'
    ? client.getBalance({ address: OTHER })
    : client.readContract({ address: token.address as Hex, abi: erc20Abi, functionName: 'balanceOf', args: [OTHER] });
};

describe('the executable of a swap', () => {
  it.each<[string, Swap]>([
    ['a token for a token on V3', { pair: ['USDC', 'WETH'], amount: parseUnits('100', 6) }],
    ['a token for a token on V2', { pair: ['USDC', 'WETH'], amount: parseUnits('100', 6), provider: 'uniswapV2' }],
    ['an exact amount out', { pair: ['DAI', 'USDC'], side: 'out', amount: parseUnits('50', 6) }],
    ['the native coin', { pair: ['ETH', 'USDC'], amount: parseUnits('0.5', 18) }],
    ['the native coin on V2', { pair: ['ETH', 'USDC'], amount: parseUnits('0.5', 18), provider: 'uniswapV2' }],
    ['into the native coin', { pair: ['USDC', 'ETH'], amount: parseUnits('70', 6) }],
    ['an exact amount of the native coin', { pair: ['USDC', 'ETH'], side: 'out', amount: parseUnits('0.01', 18) }],
    ['wrapping', { pair: ['ETH', 'WETH'], amount: parseUnits('0.3', 18), provider: 'wrap' }],
    ['unwrapping', { pair: ['WETH', 'ETH'], amount: parseUnits('0.3', 18), provider: 'wrap' }],
  ])('is simulated with its approval, and delivers the quoted amount with its tag: %s', async (_, swap) => {
    const { approvals, simulation, gasLimit, offer, ...built } = await build(swap);
    expect(simulation).toEqual({ status: 'SUCCESS', reason: undefined });
    expect(approvals).toHaveLength(swap.pair[0] === 'ETH' ? 0 : 1);
    const before = await received(swap.pair[1]);
    const gas = await send([...approvals, built.swap]);
    expect((await received(swap.pair[1])) - before).toBe(offer.expectedAmountOut);
    expect(gasLimit).toBeGreaterThanOrEqual(gas.at(-1)!);
    expect(gasLimit).toBeLessThan((gas.at(-1)! * 3n) / 2n);
  });

  it('approves exactly the maximum input, and nothing while the allowance suffices', async () => {
    const swap: Swap = { pair: ['DAI', 'USDC'], side: 'out', amount: parseUnits('50', 6) };
    const { approvals, offer, swap: built } = await build(swap);
    const data = encodeFunctionData({
      abi: erc20Abi,
      functionName: 'approve',
      args: [built.to as Hex, offer.maxAmountIn],
    });
    expect(approvals).toEqual([call('DAI', data)]);
    await send(approvals);
    // The executable names the contract that pulls the token also without an approval.
    expect(await build(swap)).toMatchObject({ approvals: [], spender: built.to });
  });

  it('resets an allowance only for a token that requires it', async () => {
    const swap = (symbol: string, tokens: string): Swap => ({ pair: [symbol, 'WETH'], amount: parseUnits(tokens, 6) });
    for (const symbol of ['USDC', 'USDT']) await send((await build(swap(symbol, '1'))).approvals);
    expect((await build(swap('USDC', '9'))).approvals).toHaveLength(1);
    const { approvals, simulation, swap: built } = await build(swap('USDT', '9'));
    expect(approvals.map(({ data }) => BigInt(`0x${data.slice(-64)}`))).toEqual([0n, parseUnits('9', 6)]);
    expect(simulation.status).toBe('SUCCESS');
    await send([...approvals, built]);
  });

  it.each<[string, Swap]>([
    ['tokens', { pair: ['USDC', 'WETH'], amount: parseUnits('100', 6), sender: POOR }],
    ['native coin', { pair: ['ETH', 'USDC'], amount: parseUnits('0.5', 18), sender: POOR }],
  ])('is built for a sender without enough %s, and reports the shortage', async (_, swap) => {
    const { simulation, swap: built, gasLimit } = await build(swap);
    expect(simulation).toEqual({
      status: 'INSUFFICIENT_BALANCE',
      reason: expect.stringMatching(/holds 0 \w+ of [\d.]+ needed/),
    });
    expect(built.from).toBe(POOR);
    expect(gasLimit).toBeUndefined();
  });

  it('reports the reason of a revert', async () => {
    const abi = parseAbi(['function blacklist(address account)']);
    const issuer = call('RUSD', encodeFunctionData({ abi, functionName: 'blacklist', args: [OTHER] }));
    await send([issuer], 0);
    const { simulation, gasLimit } = await build({ pair: ['USDC', 'RUSD'], amount: parseUnits('5', 6) });
    expect(simulation).toEqual({ status: 'REVERTED', reason: expect.stringMatching(/^the swap: \w.{6}/) });
    expect(gasLimit).toBeUndefined();
  });

  it('is not built while its chain is unavailable', async () => {
    const unreachable = rpcOf(universe.chains, { devnet: 'http://127.0.0.1:9' });
    const request = localRequest({
      chain: devnet(),
      pair: ['ETH', 'WETH'],
      amount: 1n,
      sender: account().address,
      recipient: OTHER,
    });
    const offer = await providers[2]!.quote(request, AbortSignal.timeout(1000));
    const parameters = { ...plain(), request, offer: offer!, sender: account().address, recipient: OTHER };
    const deps = { providers, rpc: unreachable, ...fakeOutputs() };
    const building = buildExecutable(deps, { ...parameters, signal: AbortSignal.timeout(1000) });
    await expect(building).rejects.toMatchObject({ code: 'BYTECODE_GENERATION_FAILED' });
  });
});
