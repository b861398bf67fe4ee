import { parseUnits } from 'viem';
import type { HttpEmulator } from '../../devnet/emulators/http-emulator';
import { startLifiEmulator } from '../../devnet/emulators/lifi/start-lifi-emulator';
import { startZeroExEmulator } from '../../devnet/emulators/zero-ex/start-zero-ex-emulator';
import { createHttpClient, type HttpClient } from '../../src/http/http-client';
import { createLifiProvider } from '../../src/venues/providers/lifi/lifi';
import { createZeroExProvider } from '../../src/venues/providers/zero-ex/zero-ex';
import type { QuoteRequest } from '../../src/venues/quote-provider';
import type { Rpc } from '../../src/rpc/rpc';
import { chainNamed, type TestUniverse, universeOfTests } from '../setup/universe-of-tests';
import { rejection } from '../swaps/swap-world';
import { executeLocally, localRequest, rpcOf } from './local-swaps';

const RECIPIENT = '0x00000000000000000000000000000000000A11cE';
const KEYS = { '0x-api-key': 'a key', '0x-version': 'v2' };
const signal = () => AbortSignal.timeout(10_000);

let universe: TestUniverse;
let rpc: Rpc;
const opened: { close?(): Promise<void>; stop?(): Promise<void> }[] = [];
beforeAll(async () => {
  universe = await universeOfTests();
  rpc = rpcOf(universe.chains);
});
afterAll(async () => {
  for (const each of opened.reverse()) await (each.close ?? each.stop)?.();
});
const clientOf = ({ url }: HttpEmulator, headers: Readonly<Record<string, string>> = {}): HttpClient => {
  const http = createHttpClient({ baseUrl: url, headers });
  opened.push(http);
  return http;
};
const devnet = () => chainNamed(universe, 'devnet');
const swap = (pair: readonly [string, string], amount: bigint, to: 'devnet' | 'devnet-l2' = 'devnet'): QuoteRequest =>
  localRequest({
    chain: devnet(),
    destination: chainNamed(universe, to),
    pair,
    amount,
    sender: universe.accounts[4]!.address,
    recipient: RECIPIENT,
  });

describe('0x on the local chains', () => {
  let emulator: HttpEmulator;
  let http: HttpClient;
  beforeAll(async () => {
    emulator = await startZeroExEmulator({ chains: universe.chains, apiKey: 'a key' });
    opened.push(emulator);
    http = clientOf(emulator, KEYS);
  });

  it.each([
    ['no key', {}],
    ['another key', { ...KEYS, '0x-api-key': 'b key' }],
  ])('rejects requests with %s', async (_, headers) => {
    const provider = createZeroExProvider({ http: clientOf(emulator, headers), rpc });
    const error = await rejection(provider.quote(swap(['WETH', 'USDC'], 10n ** 18n), signal()));
    expect(error).toMatchObject({ code: 'PROVIDER_UNAVAILABLE', message: expect.stringContaining('401') });
  });

  it('rejects requests without the API version', async () => {
    const provider = createZeroExProvider({ http: clientOf(emulator, { '0x-api-key': 'a key' }), rpc });
    const error = await rejection(provider.quote(swap(['WETH', 'USDC'], 10n ** 18n), signal()));
    expect(error).toMatchObject({ code: 'QUOTE_GENERATION_FAILED' });
  });

  it.each([
    ['WETH', 'USDC'],
    ['USDC', 'ETH'],
  ] as const)('reports the fee on the bought amount: %s for %s', async (sold, bought) => {
    const provider = createZeroExProvider({ http, rpc });
    const amount = sold === 'USDC' ? parseUnits('500', 6) : parseUnits('0.4', 18);
    const request = swap([sold, bought], amount);
    const free = (await provider.quote(request, signal()))!;
    await http.post('/_control/quotes', { feeBps: 15 }, signal());
    const quote = (await provider.quote(request, signal()))!;
    const [fee] = quote.fees!;
    expect(fee).toMatchObject({ label: '0x fee', asset: 'tokenOut' });
    expect(quote.expectedAmountOut + fee!.amount).toBe(free.expectedAmountOut);
    const deadline = Math.floor(Date.now() / 1000) + 3600;
    const parameters = { request, quote, sender: request.originAddress!, recipient: RECIPIENT, deadline };
    const moved = await executeLocally({ chain: devnet(), account: universe.accounts[4]!, provider }, parameters);
    await http.post('/_control/quotes', { feeBps: 0 }, signal());
    expect(moved).toMatchObject({ spent: amount, received: quote.expectedAmountOut });
    expect(moved.gasUsed).toBeLessThanOrEqual(quote.gasLimit);
  });

  it('splits a trade that one pool would fill at a worse price', async () => {
    const request = swap(['WETH', 'USDC'], parseUnits('800', 18));
    const quote = (await createZeroExProvider({ http, rpc }).quote(request, signal()))!;
    const shares = quote.route.map(({ shareBps }) => shareBps);
    expect(shares.every((share) => share < 10_000)).toBe(true);
    expect(quote.route.length).toBeGreaterThan(1);
    const half = (await createZeroExProvider({ http, rpc }).quote(
      swap(['WETH', 'USDC'], parseUnits('400', 18)),
      signal(),
    ))!;
    expect(quote.expectedAmountOut).toBeLessThan(half.expectedAmountOut * 2n);
  });
});

describe('LI.FI on the local chains', () => {
  let http: HttpClient;
  beforeAll(async () => {
    const emulator = await startLifiEmulator({ chains: universe.chains });
    opened.push(emulator);
    http = clientOf(emulator);
  });

  it.each([
    ['too little', 'AMOUNT_IN_TOO_LOW', parseUnits('0.01', 6), 'more than 0.01 USDC'],
    ['too much', 'AMOUNT_IN_TOO_HIGH', parseUnits('3000000', 6), 'less than 3000000 USDC'],
  ])('reports an amount that is %s', async (_, ...[code, amount, bound]) => {
    const provider = createLifiProvider({ http, rpc });
    const error = await rejection(provider.quote(swap(['USDC', 'USDC'], amount, 'devnet-l2'), signal()));
    expect(error).toMatchObject({ code, message: expect.stringContaining(bound) });
  });

  it('rejects unlisted tokens', async () => {
    const request = swap(['USDC', 'WETH'], parseUnits('5', 6));
    const unknown = { ...request, tokenOut: { ...request.tokenOut, address: RECIPIENT } };
    const error = await rejection(createLifiProvider({ http, rpc }).quote(unknown, signal()));
    expect(error).toMatchObject({ code: 'QUOTE_GENERATION_FAILED', message: expect.stringContaining('LI.FI') });
  });

  it('reports the fees of both tokens and the native fee', async () => {
    const provider = createLifiProvider({ http, rpc });
    const quote = (await provider.quote(swap(['DAI', 'USDT'], parseUnits('400', 18), 'devnet-l2'), signal()))!;
    expect(quote.fees).toEqual([
      { label: 'LIFI Fixed Fee', asset: 'tokenIn', amount: parseUnits('1', 18) },
      { label: 'Relayer Fee', asset: 'tokenOut', amount: expect.any(BigInt) },
    ]);
    expect(quote.nativeFee).toBe(parseUnits('0.0003', 18));
    expect(quote.route.map(({ protocol }) => protocol)).toEqual(['uniswap', 'stargateV2']);
    expect(quote.execution).toEqual({ tool: 'stargateV2' });
  });
});
