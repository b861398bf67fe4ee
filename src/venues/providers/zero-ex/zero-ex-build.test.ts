import fc from 'fast-check';
import { type Hex, numberToHex, pad } from 'viem';
import { json, type ScriptedUpstream, startScriptedUpstream } from '../../../../test/contract/scripted-upstream';
import {
  AMOUNT,
  swapRequest,
  HOLDER,
  native,
  NATIVE_QUOTE,
  parametersOf,
  QUOTE,
  SETTLER,
  STRANGER,
  transaction,
} from '../../../../test/contract/zero-ex-samples';
import { ALICE, rejection, units } from '../../../../test/swaps/swap-world';
import { createHttpClient, type HttpClient } from '../../../http/http-client';
import type { Rpc } from '../../../rpc/rpc';
import type { ProviderQuote, QuoteRequest } from '../../quote-provider';
import { createZeroExProvider } from './zero-ex';

let upstream: ScriptedUpstream;
let http: HttpClient;
let settlers: readonly (string | undefined)[] = [];
beforeAll(async () => {
  upstream = await startScriptedUpstream();
  http = createHttpClient({ baseUrl: upstream.url });
});
afterAll(async () => {
  await http.close();
  upstream.close();
});
beforeEach(() => (settlers = []));

const rpc = { serves: () => true, multicall: () => Promise.resolve(settlers) } as unknown as Rpc;
const provider = () => createZeroExProvider({ http, rpc });
const signal = () => AbortSignal.timeout(5000);
const quote = (request: QuoteRequest) => provider().quote(request, signal());
const build = (request: QuoteRequest, offer: Partial<ProviderQuote> = {}) =>
  provider().build({ ...parametersOf(request, offer) }, signal());
describe('a transaction of 0x', () => {
  describe.each([
    ['another target', QUOTE, { transaction: { ...transaction, to: STRANGER } }],
    ['another spender', QUOTE, { issues: { ...QUOTE.issues, allowance: { actual: '0', spender: STRANGER } } }],
    ['the Settler as spender', QUOTE, { issues: { ...QUOTE.issues, allowance: { actual: '0', spender: SETTLER } } }],
    ['no spender', QUOTE, { issues: { ...QUOTE.issues, allowance: null }, allowanceTarget: null }],
    ['coin beside the token', QUOTE, { transaction: { ...transaction, value: '1' } }],
    ['more coin than is sold', NATIVE_QUOTE, { transaction: { ...transaction, value: String(AMOUNT + 1n) } }],
    ['less coin than is sold', NATIVE_QUOTE, { transaction: { ...transaction, value: String(AMOUNT - 1n) } }],
    [
      'another target for the coin',
      NATIVE_QUOTE,
      { transaction: { ...transaction, to: STRANGER, value: String(AMOUNT) } },
    ],
    ['other tokens', QUOTE, { buyToken: STRANGER }],
    ['another amount', QUOTE, { sellAmount: String(AMOUNT + 1n) }],
    ['no calldata', QUOTE, { transaction: { ...transaction, data: '0x' } }],
  ])('with %s', (_, honest, changes) => {
    const request = honest === QUOTE ? swapRequest() : native();

    it('is no offer', async () => {
      upstream.play(json({ ...honest, ...changes }));
      expect(await rejection(quote(request))).toMatchObject({ code: 'PROVIDER_UNAVAILABLE' });
    });

    it('is not handed out', async () => {
      upstream.play(json({ ...honest, ...changes }));
      expect(await rejection(build(request))).toMatchObject({
        code: expect.stringMatching(/^(?:BYTECODE_GENERATION_FAILED|PROVIDER_UNAVAILABLE)$/),
      });
    });
  });

  describe('when the coin is sold to a Settler', () => {
    const direct = { ...NATIVE_QUOTE, transaction: { ...transaction, to: SETTLER, value: String(AMOUNT) } };

    it.each([
      ['the current one', [SETTLER, STRANGER]],
      ['the one before', [STRANGER, SETTLER]],
    ])('calls it when the registry lists it as %s', async (_, known) => {
      settlers = known;
      upstream.play(json(direct));
      expect(await quote(native())).toMatchObject({ amountIn: AMOUNT });
      expect(await build(native())).toMatchObject({ to: SETTLER, value: AMOUNT, spender: undefined });
    });

    it.each([
      ['does not know it', [STRANGER, STRANGER]],
      ['has paused', [undefined, SETTLER]],
      ['is not there', [undefined, undefined]],
    ])('does not when the registry %s', async (_, known) => {
      settlers = known;
      upstream.play(json(direct));
      expect(await rejection(quote(native()))).toMatchObject({ code: 'PROVIDER_UNAVAILABLE' });
      expect(await rejection(build(native()))).toMatchObject({ code: 'BYTECODE_GENERATION_FAILED' });
    });

    it('never calls it with a token', async () => {
      settlers = [SETTLER, SETTLER];
      upstream.play(json({ ...QUOTE, transaction: { ...transaction, to: SETTLER } }));
      expect(await rejection(build(swapRequest()))).toMatchObject({ code: 'BYTECODE_GENERATION_FAILED' });
    });
  });

  it('is a call of AllowanceHolder, which receives the allowance', async () => {
    upstream.play(json(QUOTE));
    expect(await build(swapRequest())).toEqual({
      kind: 'call',
      chainId: 1,
      from: ALICE,
      to: HOLDER,
      data: '0x2213bc0b00',
      value: 0n,
      spender: HOLDER,
    });
    const allowed = { ...QUOTE, issues: { ...QUOTE.issues, allowance: null } };
    upstream.play(json(allowed));
    expect(await build(swapRequest())).toMatchObject({ spender: HOLDER });
  });

  it('reports QUOTE_EXPIRED without liquidity', async () => {
    upstream.play(json({ liquidityAvailable: false }));
    expect(await rejection(build(swapRequest()))).toMatchObject({ code: 'QUOTE_EXPIRED' });
    upstream.play(json(QUOTE));
    const promised = { minAmountOut: units(BigInt(QUOTE.buyAmount) + 1n) };
    expect(await rejection(build(swapRequest(), promised))).toMatchObject({ code: 'QUOTE_EXPIRED' });
    expect(upstream.requests).toHaveLength(1);
  });

  it('keeps the quoted minimum however the price moves, or reports QUOTE_EXPIRED', async () => {
    let worst = 0n;
    const moving = {
      get(_: string, query: Readonly<Record<string, unknown>>) {
        const bps = BigInt(String(query['slippageBps']));
        const minBuyAmount = (price * (10_000n - bps)) / 10_000n;
        worst = minBuyAmount;
        const data = pad(numberToHex(minBuyAmount));
        const moved = { buyAmount: String(price), minBuyAmount: String(minBuyAmount) };
        return Promise.resolve({ ...QUOTE, ...moved, transaction: { ...transaction, data } });
      },
    };
    let price = 1n;
    const steady = createZeroExProvider({ http: moving, rpc });
    const amount = fc.bigInt({ min: 1n, max: 10n ** 30n });
    await fc.assert(
      fc.asyncProperty(amount, fc.integer({ min: -300, max: 300 }), async (before, movedBps) => {
        const minAmountOut = units((before * 9900n) / 10_000n || 1n);
        price = (before * BigInt(10_000 + movedBps)) / 10_000n;
        const parameters = parametersOf(swapRequest(), { minAmountOut });
        const outcome = await steady.build(parameters, signal()).catch((error: unknown) => error);
        if (price < minAmountOut) {
          expect(outcome).toMatchObject({ code: 'QUOTE_EXPIRED' });
          return;
        }
        const promised = BigInt((outcome as { data: Hex }).data);
        expect(promised).toBe(worst);
        expect(promised).toBeGreaterThanOrEqual(minAmountOut);
      }),
    );
  });
});
