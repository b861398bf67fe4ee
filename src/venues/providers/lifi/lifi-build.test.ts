import { swapRequest, DIAMOND, parametersOf, STEP, transactionRequest } from '../../../../test/contract/lifi-samples';
import { json, type ScriptedUpstream, startScriptedUpstream } from '../../../../test/contract/scripted-upstream';
import { ALICE, rejection, units } from '../../../../test/swaps/swap-world';
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
const build = (request: QuoteRequest = swapRequest(), offer: Partial<ProviderQuote> = {}) =>
  provider().build(parametersOf(request, offer), signal());

const estimate = (changes: object) => ({ ...STEP, estimate: { ...STEP.estimate, ...changes } });

describe('a transaction of LI.FI', () => {
  it('is requested for the quoted bridge', async () => {
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

  it('keeps the minimum after a small price move', async () => {
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
  ])('is rejected with QUOTE_EXPIRED when the price %s', async (_, steps) => {
    upstream.play(...steps.map((step) => json(step)));
    expect(await rejection(build())).toMatchObject({ code: 'QUOTE_EXPIRED' });
  });

  it.each([
    [404, 1002, 'QUOTE_EXPIRED'],
    [400, 1011, 'BYTECODE_GENERATION_FAILED'],
    [429, 1005, 'PROVIDER_UNAVAILABLE'],
    [500, 1006, 'PROVIDER_UNAVAILABLE'],
  ])('translates %s with the code %s to %s', async (status, code, meaning) => {
    upstream.play(json({ message: 'no', code }, status));
    expect(await rejection(build())).toMatchObject({ code: meaning });
  });

  it('is rejected when the market is below the quoted minimum', async () => {
    upstream.play(json(STEP));
    expect(await rejection(build(swapRequest(), { minAmountOut: units(99_700_001n) }))).toMatchObject({
      code: 'QUOTE_EXPIRED',
    });
  });
});
