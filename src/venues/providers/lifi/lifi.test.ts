import {
  AMOUNT,
  swapRequest,
  coin,
  DIAMOND,
  ETHER,
  feeCost,
  parametersOf,
  STEP,
  STRANGER,
  transactionRequest,
  USDC,
  USDC_ON_BASE,
} from '../../../../test/contract/lifi-samples';
import { json, type ScriptedUpstream, startScriptedUpstream } from '../../../../test/contract/scripted-upstream';
import { ALICE, BOB, rejection } from '../../../../test/swaps/swap-world';
import { ZERO_ADDRESS } from '../../../chains/addresses';
import { createHttpClient, type HttpClient } from '../../../http/http-client';
import type { ProviderQuote, QuoteRequest } from '../../quote-provider';
import { createLifiProvider } from './lifi';

let upstream: ScriptedUpstream;
let http: HttpClient;
beforeAll(async () => {
  upstream = await startScriptedUpstream();
  http = createHttpClient({ baseUrl: upstream.url });
});
afterAll(async () => {
  await http.close();
  upstream.close();
});

const provider = () => createLifiProvider({ http, rpc: { serves: () => true } });
const signal = () => AbortSignal.timeout(5000);
const quote = (request: QuoteRequest = swapRequest()) => provider().quote(request, signal());
const build = (request: QuoteRequest = swapRequest(), offer: Partial<ProviderQuote> = {}) =>
  provider().build(parametersOf(request, offer), signal());

const estimate = (changes: object) => ({ ...STEP, estimate: { ...STEP.estimate, ...changes } });
const action = (changes: object) => ({ ...STEP, action: { ...STEP.action, ...changes } });
const transaction = (changes: object) => ({ ...STEP, transactionRequest: { ...transactionRequest, ...changes } });

/** Ether for USDC of Base, with a message that costs ether on top. */
const native = swapRequest({ tokenIn: ETHER });
const NATIVE_STEP = {
  ...action({ fromToken: coin }),
  estimate: { ...STEP.estimate, feeCosts: [feeCost('LayerZero', '7', { token: coin, included: false })] },
  transactionRequest: { ...transactionRequest, value: `0x${(AMOUNT + 7n).toString(16)}` },
};

describe('a quote of LI.FI', () => {
  it('has the amounts and fees of the step', async () => {
    upstream.play(json(STEP));
    expect(await quote()).toEqual({
      provider: 'lifi',
      amountIn: AMOUNT,
      maxAmountIn: AMOUNT,
      expectedAmountOut: 99_700_000n,
      minAmountOut: 99_201_500n,
      nativeFee: 0n,
      route: [
        {
          protocol: 'stargateV2',
          chainId: 1,
          tokenIn: USDC,
          tokenOut: USDC_ON_BASE,
          shareBps: 10_000,
          pool: DIAMOND,
        },
      ],
      fees: [
        { label: 'LIFI Fixed Fee', asset: 'tokenIn', amount: 250_000n },
        { label: 'Relayer', asset: 'tokenOut', amount: 50_000n },
      ],
      priceImpactBps: undefined,
      gasLimit: 312_500n,
      estimatedDurationSeconds: 47,
      execution: { tool: 'stargateV2' },
    });
    expect(upstream.requests).toMatchObject([
      {
        path: '/v1/quote',
        query: {
          fromChain: '1',
          toChain: '8453',
          fromToken: USDC,
          toToken: USDC_ON_BASE,
          fromAmount: String(AMOUNT),
          fromAddress: ALICE,
          toAddress: BOB,
          slippage: '0.005',
          order: 'CHEAPEST',
          skipSimulation: 'true',
        },
      },
    ]);
  });

  it('requests the fastest route for a fast transfer', async () => {
    upstream.play(json(STEP));
    await quote(swapRequest({ transferSpeed: 'fast' }));
    expect(upstream.requests[0]!.query).toMatchObject({ order: 'FASTEST' });
  });

  it('needs no wallets', async () => {
    const placeholder = '0x000000000000000000000000000000000000dEaD';
    const data = `0x1fd8010c${placeholder.slice(2).toLowerCase().padStart(64, '0')}`;
    const step = action({ fromAddress: placeholder, toAddress: placeholder });
    upstream.play(json({ ...step, transactionRequest: { ...transactionRequest, from: placeholder, data } }));
    const request = swapRequest({ originAddress: undefined, destinationAddress: undefined });
    expect(await quote(request)).toMatchObject({ expectedAmountOut: 99_700_000n });
    expect(upstream.requests[0]!.query).toMatchObject({ fromAddress: placeholder, toAddress: placeholder });
  });

  it('is undefined for a transfer with another refund address than the sender', async () => {
    upstream.play(json(STEP));
    expect(await quote(swapRequest({ refundAddress: ALICE }))).toMatchObject({ provider: 'lifi' });
    expect(await quote(swapRequest({ refundAddress: STRANGER }))).toBeUndefined();
    expect(await quote(swapRequest({ refundAddress: ALICE, originAddress: undefined }))).toBeUndefined();
    expect(upstream.requests).toHaveLength(1);
  });

  it('estimates gas from the fields of the step', async () => {
    upstream.play(json(transaction({ gasLimit: undefined })));
    expect(await quote()).toMatchObject({ gasLimit: 400_000n });
    upstream.play(
      json({ ...estimate({ gasCosts: [] }), transactionRequest: { ...transactionRequest, gasLimit: null } }),
    );
    expect((await quote())!.gasLimit).toBeGreaterThan(100_000n);
  });

  describe('with a native fee', () => {
    it('has the fee in addition to the sold coin', async () => {
      upstream.play(json(NATIVE_STEP));
      expect(await quote(native)).toMatchObject({ amountIn: AMOUNT, nativeFee: 7n, fees: [] });
      expect(upstream.requests[0]!.query).toMatchObject({ fromToken: ZERO_ADDRESS });
      const call = await build(native, { nativeFee: 7n });
      expect(call).toMatchObject({ to: DIAMOND, value: AMOUNT + 7n, spender: undefined });
    });

    it('has the fee in addition to the sold token', async () => {
      const step = { ...NATIVE_STEP, action: STEP.action };
      upstream.play(json({ ...step, transactionRequest: { ...transactionRequest, value: '7' } }));
      expect(await quote()).toMatchObject({ amountIn: AMOUNT, nativeFee: 7n });
      expect(await build(swapRequest(), { nativeFee: 7n })).toMatchObject({ value: 7n, spender: DIAMOND });
    });

    it.each([
      ['rose', 6n],
      ['fell', 8n],
      ['was not quoted', undefined],
    ])('reports QUOTE_EXPIRED when the fee %s', async (_, nativeFee) => {
      upstream.play(json(NATIVE_STEP));
      expect(await rejection(build(native, { nativeFee }))).toMatchObject({ code: 'QUOTE_EXPIRED' });
    });
  });

  it.each<[string, QuoteRequest, object]>([
    ['calls another contract', swapRequest(), transaction({ to: STRANGER })],
    ['needs an allowance for another contract', swapRequest(), estimate({ approvalAddress: STRANGER })],
    ['has no approval address', swapRequest(), estimate({ approvalAddress: null })],
    ['has another sender', swapRequest(), transaction({ from: STRANGER })],
    ['is for another chain', swapRequest(), transaction({ chainId: 10 })],
    ['starts on another chain', swapRequest(), action({ fromChainId: 10 })],
    ['ends on another chain', swapRequest(), action({ toChainId: 10 })],
    ['pays another wallet', swapRequest(), action({ toAddress: STRANGER })],
    ['takes from another wallet', swapRequest(), action({ fromAddress: STRANGER })],
    [
      'pays another wallet in its calldata',
      swapRequest(),
      transaction({ data: `0x1fd8010c${STRANGER.slice(2).padStart(64, '0')}` }),
    ],
    ['sells another token', swapRequest(), action({ fromToken: { ...STEP.action.fromToken, address: STRANGER } })],
    ['buys another token', swapRequest(), action({ toToken: { ...STEP.action.toToken, address: STRANGER } })],
    ['sells another amount', swapRequest(), action({ fromAmount: String(AMOUNT + 1n) })],
    ['estimates another amount', swapRequest(), estimate({ fromAmount: String(AMOUNT + 1n) })],
    ['takes coin that nothing explains', swapRequest(), transaction({ value: '0x1' })],
    [
      'takes coin beyond its fee',
      native,
      { ...NATIVE_STEP, transactionRequest: { ...transactionRequest, value: String(AMOUNT + 8n) } },
    ],
    [
      'sends less coin than is sold',
      native,
      { ...NATIVE_STEP, transactionRequest: { ...transactionRequest, value: String(AMOUNT - 1n) } },
    ],
    [
      'explains coin with a fee that is included',
      native,
      { ...NATIVE_STEP, estimate: { ...STEP.estimate, feeCosts: [feeCost('LayerZero', '7', { token: coin })] } },
    ],
    [
      'explains coin with a fee in a token',
      native,
      { ...NATIVE_STEP, estimate: { ...STEP.estimate, feeCosts: [feeCost('LayerZero', '7', { included: false })] } },
    ],
    [
      'explains coin with coin of another chain',
      native,
      {
        ...NATIVE_STEP,
        estimate: {
          ...STEP.estimate,
          feeCosts: [feeCost('LayerZero', '7', { token: { ...coin, chainId: 8453 }, included: false })],
        },
      },
    ],
  ])('is neither offered nor built when its step %s', async (_, request, step) => {
    upstream.play(json(step));
    expect(await rejection(quote(request))).toMatchObject({ code: 'PROVIDER_UNAVAILABLE' });
    expect(await rejection(build(request, { nativeFee: 7n }))).toMatchObject({ code: 'BYTECODE_GENERATION_FAILED' });
  });

  const tool = (code: string) => ({ errorType: 'NO_QUOTE', code, action: STEP.action, tool: 'relay', message: '' });
  const failed = (...codes: readonly string[]) => ({
    filteredOut: [],
    failed: [{ overallPath: '1:USDC-relay-8453:USDC', subpaths: { '1:USDC-relay-8453:USDC': codes.map(tool) } }],
  });
  it.each<[status: number, body: object, meaning: string | undefined]>([
    [404, { code: 1002 }, undefined],
    [404, { code: 1002, errors: failed('NO_POSSIBLE_ROUTE', 'INSUFFICIENT_LIQUIDITY', 'TOOL_TIMEOUT') }, undefined],
    [404, { code: 1002, errors: failed('NO_POSSIBLE_ROUTE', 'AMOUNT_TOO_LOW') }, 'AMOUNT_IN_TOO_LOW'],
    [404, { code: 1002, errors: [tool('FEES_HIGHER_THAN_AMOUNT')] }, 'AMOUNT_IN_TOO_LOW'],
    [404, { code: 1002, errors: failed('AMOUNT_TOO_HIGH') }, 'AMOUNT_IN_TOO_HIGH'],
    [404, { code: 1002, errors: failed('AMOUNT_TOO_HIGH', 'AMOUNT_TOO_LOW') }, undefined],
    [404, {}, undefined],
    [404, { code: 1003 }, undefined],
    [400, { code: 1007 }, undefined],
    [400, { code: 1001 }, 'QUOTE_GENERATION_FAILED'],
    [400, { code: 1004 }, 'QUOTE_GENERATION_FAILED'],
    [400, { code: 1011 }, 'QUOTE_GENERATION_FAILED'],
    [400, { code: 1013 }, 'QUOTE_GENERATION_FAILED'],
    [400, { code: 1000 }, 'PROVIDER_UNAVAILABLE'],
    [400, {}, 'PROVIDER_UNAVAILABLE'],
    [400, { code: 1005 }, 'PROVIDER_UNAVAILABLE'],
    [429, { code: 1005 }, 'PROVIDER_UNAVAILABLE'],
    [429, { code: 1002 }, 'PROVIDER_UNAVAILABLE'],
    [500, { code: 1006 }, 'PROVIDER_UNAVAILABLE'],
    [400, { code: 1008 }, 'PROVIDER_UNAVAILABLE'],
    [400, { code: 1009 }, 'PROVIDER_UNAVAILABLE'],
    [401, { code: 1010 }, 'PROVIDER_UNAVAILABLE'],
    [400, { code: 1012 }, 'PROVIDER_UNAVAILABLE'],
    [502, { code: 1002 }, 'PROVIDER_UNAVAILABLE'],
  ])('translates %s with %j', async (status, body, meaning) => {
    upstream.play(json({ message: 'a\u202Ereason', ...body }, status));
    const outcome: unknown = await quote().catch((error: unknown) => error);
    if (meaning === undefined) expect(outcome).toBeUndefined();
    else expect(outcome).toMatchObject({ code: meaning, message: expect.not.stringContaining('\u202E') });
  });
});
