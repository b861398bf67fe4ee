import {
  createWalletClient,
  encodeFunctionData,
  erc20Abi,
  getAddress,
  type Hex,
  http,
  parseAbi,
  parseUnits,
  publicActions,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { asChain, builtCall, localRequest, localToken, rpcOf } from '../../../../test/contract/local-swaps';
import { minedReceipt } from '../../../../test/setup/mined-receipt';
import { chainNamed, snapshotOf, type TestUniverse, universeOfTests } from '../../../../test/setup/universe-of-tests';
import { fakeOutputs } from '../../../../test/swaps/fake-outputs';
import { CUSTOMER, rejection } from '../../../../test/swaps/swap-world';
import { toBaseUnits } from '../../../money/base-units';
import { uuidV7 } from '../../../persistence/uuid-v7';
import { createUniswapV3Provider } from '../../../venues/providers/uniswap-v3/uniswap-v3';
import type { ProviderQuote, QuoteProvider, QuoteRequest, SwapCall } from '../../../venues/quote-provider';
import type { Rpc } from '../../../rpc/rpc';
import { buildExecutable } from '../build-executable';
import { localPools } from '../../../../test/contract/local-pools';

/** A venue whose calldata deviates from its quote, against real pools. */
const THIEF = getAddress(`0x${'f00d'.padStart(40, '1')}`);
const RECIPIENT = getAddress(`0x${'a11ce'.padStart(40, '1')}`);
const router = parseAbi(['function multicall(bytes[] data) payable returns (bytes[])']);

let universe: TestUniverse;
let rpc: Rpc;
let venue: QuoteProvider;
let goBack: () => Promise<void>;
beforeAll(async () => {
  universe = await universeOfTests();
  rpc = rpcOf(universe.chains);
  venue = createUniswapV3Provider(localPools(rpc));
});
beforeEach(async () => {
  goBack = await snapshotOf(devnet());
});
afterEach(() => goBack());

const devnet = () => chainNamed(universe, 'devnet');
const account = () => universe.accounts[5]!;
const signal = () => AbortSignal.timeout(90_000);

function sale(pair: readonly [string, string], amount: bigint): QuoteRequest {
  return localRequest({ chain: devnet(), pair, amount, sender: account().address, recipient: RECIPIENT });
}

/** The call of the honest venue for its own offer. */
async function honest(request: QuoteRequest, recipient: string): Promise<{ offer: ProviderQuote; call: SwapCall }> {
  const offer = (await venue.quote(request, signal()))!;
  const parameters = { request, quote: offer, sender: account().address, recipient };
  return { offer, call: await builtCall(venue, { ...parameters, deadline: Math.floor(Date.now() / 1000) + 300 }) };
}

/** Builds the executable of an offer whose venue returns `call`. */
function buildFrom(request: QuoteRequest, { offer, call }: { offer: ProviderQuote; call: SwapCall }) {
  const hostile: QuoteProvider = { ...venue, build: () => Promise.resolve(call) };
  const deps = { providers: [hostile], rpc, ...fakeOutputs() };
  return buildExecutable(deps, {
    customerId: CUSTOMER,
    quoteId: uuidV7(),
    actionId: uuidV7(),
    request,
    offer,
    sender: account().address,
    recipient: RECIPIENT,
    deadline: new Date(Date.now() + 300_000),
    output: 'bytecode',
    accountId: undefined,
    sponsored: false,
    signal: signal(),
  });
}

async function approve(symbol: string, { spender }: SwapCall): Promise<void> {
  const signer = createWalletClient({
    account: privateKeyToAccount(account().privateKey),
    transport: http(devnet().rpcUrl),
    pollingInterval: 10,
  }).extend(publicActions);
  const args = [spender as Hex, parseUnits('1000000', 18)] as const;
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args });
  const hash = await signer.sendTransaction({ to: localToken(devnet(), symbol).address as Hex, data, chain: null });
  expect((await minedReceipt(signer, hash)).status).toBe('success');
}

const together = (first: SwapCall, second: SwapCall): SwapCall => ({
  ...first,
  data: encodeFunctionData({ abi: router, functionName: 'multicall', args: [[first.data, second.data]] }),
});
const callMismatchError = (problem: RegExp) => ({
  code: 'BYTECODE_GENERATION_FAILED',
  message: expect.stringMatching(problem) as string,
});

describe('calldata of a venue', () => {
  it('is accepted when it matches the quote', async () => {
    const request = sale(['USDC', 'WETH'], parseUnits('50', 6));
    const { simulation } = await buildFrom(request, await honest(request, RECIPIENT));
    expect(simulation).toEqual({ status: 'SUCCESS', reason: undefined });
  });

  it('is refused when it pays another recipient', async () => {
    const request = sale(['USDC', 'WETH'], parseUnits('50', 6));
    const refused = await rejection(buildFrom(request, await honest(request, THIEF)));
    expect(refused).toMatchObject(callMismatchError(/brings the recipient 0 WETH of [\d.]+ WETH at least/));
  });

  it('is refused when it delivers one unit less than the minimum, and accepted at the minimum', async () => {
    const request = sale(['USDC', 'WETH'], parseUnits('50', 6));
    const { offer, call } = await honest(request, RECIPIENT);
    const exactly = { ...offer, minAmountOut: offer.expectedAmountOut };
    await expect(buildFrom(request, { offer: exactly, call })).resolves.toMatchObject({ kind: 'calls' });
    const greedy = { ...offer, minAmountOut: toBaseUnits(offer.expectedAmountOut + 1n) };
    expect(await rejection(buildFrom(request, { offer: greedy, call }))).toMatchObject(
      callMismatchError(/brings the recipient/),
    );
  });

  it('is refused when it takes more than quoted', async () => {
    const request = sale(['USDC', 'WETH'], parseUnits('50', 6));
    const { offer } = await honest(request, RECIPIENT);
    const { call } = await honest(sale(['USDC', 'WETH'], parseUnits('50', 6) + 1n), RECIPIENT);
    await approve('USDC', call);
    const refused = await rejection(buildFrom(request, { offer, call }));
    expect(refused).toMatchObject(callMismatchError(/takes 50\.000001 USDC from the sender where 50 USDC were quoted/));
  });

  it('is refused when it sells another token', async () => {
    const request = sale(['USDC', 'WETH'], parseUnits('50', 6));
    const { offer, call } = await honest(request, RECIPIENT);
    const { call: theft } = await honest(sale(['DAI', 'WETH'], parseUnits('900', 18)), THIEF);
    await approve('DAI', call);
    const refused = await rejection(buildFrom(request, { offer, call: together(call, theft) }));
    expect(refused).toMatchObject(callMismatchError(/takes the token 0x[0-9a-f]{40} from the sender/i));
  });

  it('is refused in a swap between chains when it takes more than quoted', async () => {
    const other = asChain(chainNamed(universe, 'devnet-l2'));
    const request = { ...sale(['USDC', 'WETH'], parseUnits('50', 6)), destination: other };
    const { offer, call } = await honest(sale(['USDC', 'WETH'], parseUnits('50', 6)), THIEF);
    await expect(buildFrom(request, { offer, call })).resolves.toMatchObject({ simulation: { status: 'SUCCESS' } });
    await approve('USDC', call);
    const less = { ...offer, maxAmountIn: toBaseUnits(offer.maxAmountIn - 1n) };
    expect(await rejection(buildFrom(request, { offer: less, call }))).toMatchObject(
      callMismatchError(/takes 50 USDC/),
    );
  });
});
