import { json, type ScriptedUpstream, startScriptedUpstream } from '../../../../test/contract/scripted-upstream';
import {
  AMOUNT,
  swapRequest,
  DAI,
  HOLDER,
  native,
  NATIVE_QUOTE,
  PRICE,
  QUOTE,
  STRANGER,
  token,
  WETH,
} from '../../../../test/contract/zero-ex-samples';
import { ALICE, BOB } from '../../../../test/swaps/swap-world';
import { NATIVE_TOKEN, ZERO_ADDRESS } from '../../../chains/addresses';
import { createHttpClient, type HttpClient } from '../../../http/http-client';
import { parseSlippage } from '../../../money/slippage';
import type { Rpc } from '../../../rpc/rpc';
import type { QuoteRequest } from '../../quote-provider';
import { createZeroExProvider } from './zero-ex';

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
const rpc = { serves: () => true, multicall: () => Promise.resolve([]) } as unknown as Rpc;
const provider = () => createZeroExProvider({ http, rpc });
const signal = () => AbortSignal.timeout(5000);
const quote = (request: QuoteRequest) => provider().quote(request, signal());
describe('a quote of 0x', () => {
  it('requests a firm quote when a wallet is given', async () => {
    upstream.play(json(QUOTE));
    expect(await quote(swapRequest())).toEqual({
      provider: 'zeroEx',
      amountIn: AMOUNT,
      maxAmountIn: AMOUNT,
      nativeFee: undefined,
      expectedAmountOut: 340843848647293527128015n,
      minAmountOut: 337435410160820591856735n,
      route: [
        { protocol: 'Uniswap_V3', chainId: 1, tokenIn: WETH, tokenOut: DAI, shareBps: 9000, pool: HOLDER },
        { protocol: 'Maker_PSM', chainId: 1, tokenIn: WETH, tokenOut: DAI, shareBps: 1000, pool: HOLDER },
      ],
      fees: [{ label: '0x fee', asset: 'tokenOut', amount: 512033823706500040753n }],
      priceImpactBps: undefined,
      gasLimit: 288_079n,
      estimatedDurationSeconds: 15,
      execution: {},
    });
    expect(upstream.requests).toMatchObject([
      {
        method: 'GET',
        path: '/swap/allowance-holder/quote',
        query: {
          chainId: '1',
          sellToken: WETH,
          buyToken: DAI,
          sellAmount: String(AMOUNT),
          slippageBps: '100',
          taker: ALICE,
          recipient: BOB,
        },
      },
    ]);
  });

  it('requests a price without wallets', async () => {
    upstream.play(json(PRICE));
    const offer = await quote(swapRequest({ originAddress: undefined, destinationAddress: undefined }));
    expect(offer).toMatchObject({ expectedAmountOut: 340843848647293527128015n, gasLimit: 522_732n });
    expect(upstream.requests[0]!.path).toBe('/swap/allowance-holder/price');
    expect(Object.keys(upstream.requests[0]!.query)).not.toContain('taker');
  });

  it('contains the recipient only when it is another wallet', async () => {
    upstream.play(json(QUOTE));
    await quote(swapRequest({ destinationAddress: ALICE }));
    expect(Object.keys(upstream.requests[0]!.query)).not.toContain('recipient');
  });

  it.each([
    ['0.0001', '1'],
    ['0.00019', '1'],
    ['0.005', '50'],
    ['0.5', '5000'],
  ])('never requests more slippage than %s', async (slippage, slippageBps) => {
    upstream.play(json(QUOTE));
    await quote(swapRequest({ slippage: parseSlippage(slippage)! }));
    expect(upstream.requests[0]!.query).toMatchObject({ slippageBps });
  });

  it.each([NATIVE_TOKEN, ZERO_ADDRESS])('sells the native coin, wireAddress %s', async (address) => {
    upstream.play(json(NATIVE_QUOTE));
    const request = native({ tokenIn: token('ETH', address) });
    expect(await quote(request)).toMatchObject({ amountIn: AMOUNT });
    expect(upstream.requests[0]!.query).toMatchObject({ sellToken: NATIVE_TOKEN });
  });

  it('reports the fees in both tokens, each once', async () => {
    const fee = (amount: string, of: string) => ({ amount, token: of, type: 'volume' });
    const fees = {
      integratorFee: fee('3', DAI),
      integratorFees: [fee('3', DAI), fee('4', WETH)],
      zeroExFee: fee('0', DAI),
      gasFee: fee('5', STRANGER),
    };
    upstream.play(json({ ...QUOTE, fees }));
    expect((await quote(swapRequest()))?.fees).toEqual([
      { label: 'Integrator fee', asset: 'tokenOut', amount: 3n },
      { label: 'Integrator fee', asset: 'tokenIn', amount: 4n },
    ]);
    upstream.play(json({ ...QUOTE, fees: { ...fees, integratorFees: null } }));
    expect((await quote(swapRequest()))?.fees).toEqual([{ label: 'Integrator fee', asset: 'tokenOut', amount: 3n }]);
  });

  it('has no route when there is no liquidity', async () => {
    upstream.play(json({ liquidityAvailable: false, zid: '0x1' }));
    expect(await quote(swapRequest())).toBeUndefined();
  });

  it.each([
    [422, 'BUY_TOKEN_NOT_AUTHORIZED_FOR_TRADE', undefined],
    [422, 'SELL_TOKEN_NOT_AUTHORIZED_FOR_TRADE', undefined],
    [400, 'TOKEN_NOT_SUPPORTED', undefined],
    [400, 'SELL_AMOUNT_TOO_SMALL', 'AMOUNT_IN_TOO_LOW'],
    [400, 'INPUT_INVALID', 'QUOTE_GENERATION_FAILED'],
    [422, 'TAKER_NOT_AUTHORIZED_FOR_TRADE', 'QUOTE_GENERATION_FAILED'],
    [401, 'USER_NOT_AUTHORIZED', 'PROVIDER_UNAVAILABLE'],
    [403, 'TOKEN_NOT_SUPPORTED', 'PROVIDER_UNAVAILABLE'],
    [429, 'TOKEN_NOT_SUPPORTED', 'PROVIDER_UNAVAILABLE'],
    [500, 'INTERNAL_SERVER_ERROR', 'PROVIDER_UNAVAILABLE'],
  ])('takes %s %s for %s', async (status, name, code) => {
    upstream.play(json({ name, message: 'a\u202Ereason', data: {} }, status));
    const outcome: unknown = await quote(swapRequest()).catch((error: unknown) => error);
    if (code === undefined) expect(outcome).toBeUndefined();
    else expect(outcome).toMatchObject({ code, message: expect.not.stringContaining('\u202E') });
  });
});
