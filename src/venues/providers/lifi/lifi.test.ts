import {
  AMOUNT,
  asked,
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
import { ALICE, BOB, rejection, units } from '../../../../test/swaps/swap-world';
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
const quote = (request: QuoteRequest = asked()) => provider().quote(request, signal());
const build = (request: QuoteRequest = asked(), offer: Partial<ProviderQuote> = {}) =>
  provider().build(parametersOf(request, offer), signal());

const estimate = (changes: object) => ({ ...STEP, estimate: { ...STEP.estimate, ...changes } });
const action = (changes: object) => ({ ...STEP, action: { ...STEP.action, ...changes } });
const transaction = (changes: object) => ({ ...STEP, transactionRequest: { ...transactionRequest, ...changes } });

/** Ether for USDC of Base, with a message that costs ether on top. */
const native = asked({ tokenIn: ETHER });
const NATIVE_STEP = {
  ...action({ fromToken: coin }),
  estimate: { ...STEP.estimate, feeCosts: [feeCost('LayerZero', '7', { token: coin, included: false })] },
  transactionRequest: { ...transactionRequest, value: `0x${(AMOUNT + 7n).toString(16)}` },
};

describe('LI.FI', () => {
  it('quotes what its step delivers', async () => {
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
      priceImpactBps: 0,
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

  it('asks for the fastest way when the caller is in a hurry', async () => {
    upstream.play(json(STEP));
    await quote(asked({ transferSpeed: 'fast' }));
    expect(upstream.requests[0]!.query).toMatchObject({ order: 'FASTEST' });
  });

  it('prices without wallets too', async () => {
    const nobody = '0x000000000000000000000000000000000000dEaD';
    const data = `0x1fd8010c${nobody.slice(2).toLowerCase().padStart(64, '0')}`;
    const step = action({ fromAddress: nobody, toAddress: nobody });
    upstream.play(json({ ...step, transactionRequest: { ...transactionRequest, from: nobody, data } }));
    const request = asked({ originAddress: undefined, destinationAddress: undefined });
    expect(await quote(request)).toMatchObject({ expectedAmountOut: 99_700_000n });
    expect(upstream.requests[0]!.query).toMatchObject({ fromAddress: nobody, toAddress: nobody });
  });

  it('offers no transfer whose refund is to go elsewhere than to its sender', async () => {
    upstream.play(json(STEP));
    expect(await quote(asked({ refundAddress: ALICE }))).toMatchObject({ provider: 'lifi' });
    expect(await quote(asked({ refundAddress: STRANGER }))).toBeUndefined();
    expect(await quote(asked({ refundAddress: ALICE, originAddress: undefined }))).toBeUndefined();
    expect(upstream.requests).toHaveLength(1);
  });

  it('estimates gas from what is told of it', async () => {
    upstream.play(json(transaction({ gasLimit: undefined })));
    expect(await quote()).toMatchObject({ gasLimit: 400_000n });
    upstream.play(
      json({ ...estimate({ gasCosts: [] }), transactionRequest: { ...transactionRequest, gasLimit: null } }),
    );
    expect((await quote())!.gasLimit).toBeGreaterThan(100_000n);
  });

  describe('when coin goes along', () => {
    it('quotes the fee on top of the coin that is sold', async () => {
      upstream.play(json(NATIVE_STEP));
      expect(await quote(native)).toMatchObject({ amountIn: AMOUNT, nativeFee: 7n, fees: [] });
      expect(upstream.requests[0]!.query).toMatchObject({ fromToken: ZERO_ADDRESS });
      const call = await build(native, { nativeFee: 7n });
      expect(call).toMatchObject({ to: DIAMOND, value: AMOUNT + 7n, spender: undefined });
    });

    it('quotes the fee beside the token that is sold', async () => {
      const step = { ...NATIVE_STEP, action: STEP.action };
      upstream.play(json({ ...step, transactionRequest: { ...transactionRequest, value: '7' } }));
      expect(await quote()).toMatchObject({ amountIn: AMOUNT, nativeFee: 7n });
      expect(await build(asked(), { nativeFee: 7n })).toMatchObject({ value: 7n, spender: DIAMOND });
    });

    it.each([
      ['rose', 6n],
      ['fell', 8n],
      ['was not quoted', undefined],
    ])('tells that the quote has expired when the fee %s', async (_, nativeFee) => {
      upstream.play(json(NATIVE_STEP));
      expect(await rejection(build(native, { nativeFee }))).toMatchObject({ code: 'QUOTE_EXPIRED' });
    });
  });

  it.each<[string, QuoteRequest, object]>([
    ['calls another contract', asked(), transaction({ to: STRANGER })],
    ['asks for an allowance of another contract', asked(), estimate({ approvalAddress: STRANGER })],
    ['asks for an allowance of nobody', asked(), estimate({ approvalAddress: null })],
    ['has another sender', asked(), transaction({ from: STRANGER })],
    ['is for another chain', asked(), transaction({ chainId: 10 })],
    ['starts on another chain', asked(), action({ fromChainId: 10 })],
    ['ends on another chain', asked(), action({ toChainId: 10 })],
    ['pays another wallet', asked(), action({ toAddress: STRANGER })],
    ['takes from another wallet', asked(), action({ fromAddress: STRANGER })],
    [
      'pays another wallet in secret',
      asked(),
      transaction({ data: `0x1fd8010c${STRANGER.slice(2).padStart(64, '0')}` }),
    ],
    ['sells another token', asked(), action({ fromToken: { ...STEP.action.fromToken, address: STRANGER } })],
    ['buys another token', asked(), action({ toToken: { ...STEP.action.toToken, address: STRANGER } })],
    ['sells another amount', asked(), action({ fromAmount: String(AMOUNT + 1n) })],
    ['estimates another amount', asked(), estimate({ fromAmount: String(AMOUNT + 1n) })],
    ['takes coin that nothing explains', asked(), transaction({ value: '0x1' })],
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
  ])('is neither offered nor handed out when its step %s', async (_, request, step) => {
    upstream.play(json(step));
    expect(await rejection(quote(request))).toMatchObject({ code: 'PROVIDER_UNAVAILABLE' });
    expect(await rejection(build(request, { nativeFee: 7n }))).toMatchObject({ code: 'BYTECODE_GENERATION_FAILED' });
  });

  const tool = (code: string) => ({ errorType: 'NO_QUOTE', code, action: STEP.action, tool: 'relay', message: '' });
  const failed = (...codes: readonly string[]) => ({
    filteredOut: [],
    failed: [{ overallPath: '1:USDC-relay-8453:USDC', subpaths: { '1:USDC-relay-8453:USDC': codes.map(tool) } }],
  });
  it.each<[status: number, said: object, meaning: string | undefined]>([
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
  ])('takes %s with %j for what it means', async (status, said, meaning) => {
    upstream.play(json({ message: 'a\u202Ereason', ...said }, status));
    const outcome: unknown = await quote().catch((error: unknown) => error);
    if (meaning === undefined) expect(outcome).toBeUndefined();
    else expect(outcome).toMatchObject({ code: meaning, message: expect.not.stringContaining('\u202E') });
  });

  describe('asked anew for its transaction', () => {
    it('asks for the bridge that was quoted, and hands out its call', async () => {
      upstream.play(json(STEP));
      expect(await build()).toEqual({
        kind: 'call',
        chainId: 1,
        from: ALICE,
        to: DIAMOND,
        data: transactionRequest.data,
        value: 0n,
        spender: DIAMOND,
      });
      expect(upstream.requests[0]!.query).toMatchObject({ allowBridges: 'stargateV2' });
    });

    it('keeps the minimum when the price moved a little', async () => {
      const moved = estimate({ toAmount: '99400000', toAmountMin: '98903000' });
      upstream.play(json(moved), json(estimate({ toAmount: '99400000', toAmountMin: '99201597' })));
      expect(await build()).toMatchObject({ to: DIAMOND });
      expect(upstream.requests.map(({ query }) => query['slippage'])).toEqual(['0.005', '0.001996']);
    });

    it.each<[string, readonly object[]]>([
      ['moved too far', [estimate({ toAmount: '99201499', toAmountMin: '98700000' })]],
      ['leaves no slippage', [estimate({ toAmount: '99201501', toAmountMin: '98700000' })]],
      [
        'moved again',
        [estimate({ toAmount: '99400000', toAmountMin: '98903000' }), estimate({ toAmountMin: '99201499' })],
      ],
    ])('tells that the quote has expired when the price %s', async (_, steps) => {
      upstream.play(...steps.map((step) => json(step)));
      expect(await rejection(build())).toMatchObject({ code: 'QUOTE_EXPIRED' });
    });

    it.each([
      [404, 1002, 'QUOTE_EXPIRED'],
      [400, 1011, 'BYTECODE_GENERATION_FAILED'],
      [429, 1005, 'PROVIDER_UNAVAILABLE'],
      [500, 1006, 'PROVIDER_UNAVAILABLE'],
    ])('takes %s with the code %s for %s', async (status, code, meaning) => {
      upstream.play(json({ message: 'no', code }, status));
      expect(await rejection(build())).toMatchObject({ code: meaning });
    });

    it('keeps a promise that is better than the market', async () => {
      upstream.play(json(STEP));
      expect(await rejection(build(asked(), { minAmountOut: units(99_700_001n) }))).toMatchObject({
        code: 'QUOTE_EXPIRED',
      });
    });
  });
});
