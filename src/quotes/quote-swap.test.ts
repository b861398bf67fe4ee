import fc from 'fast-check';
import { setTimeout as wait } from 'node:timers/promises';
import { ZERO_ADDRESS } from '../chains/addresses';
import {
  CUSTOMER,
  fakeProvider,
  offerFor,
  offering,
  PRICED,
  PRICED_AT,
  quoteDeps,
  quoteRequest,
  rejection,
  silent,
  units,
} from '../../test/swaps/swap-world';
import { ONE_DOLLAR } from '../money/usd';
import { createQuoteRequester } from '../venues/request-provider-quote';
import { feeBreakdown } from './fee-breakdown';
import { quoteSwap } from './quote-swap';
import { quoteView } from './quote-view';

const PRICE = { priceSource: 'peg', priceAsOf: PRICED_AT.toISOString() };
const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('a quote', () => {
  it('reports the provider of the best offer, and none without an offer', async () => {
    const best: string[] = [];
    const onBestOffer = (_: unknown, { provider }: { provider: string }) => void best.push(provider);
    const providers = [offering('alpha', 4_990_000n), offering('beta', 4_995_000n)];
    await quoteSwap({ ...quoteDeps({ providers }), onBestOffer }, { customerId: CUSTOMER, fields: PRICED });
    const none = [fakeProvider('gamma', () => Promise.resolve(undefined))];
    await rejection(
      quoteSwap({ ...quoteDeps({ providers: none }), onBestOffer }, { customerId: CUSTOMER, fields: PRICED }),
    );
    expect(best).toEqual(['beta']);
  });

  it('is the best offer, with every field of the contract', async () => {
    const providers = [offering('alpha', 4_990_000n), offering('beta', 4_995_000n), offering('gamma', 4_980_000n)];
    const swap = await quoteSwap(quoteDeps({ providers }), {
      customerId: CUSTOMER,
      fields: { ...PRICED, webhookURL: 'https://example.com/h' },
    });
    const view = quoteView(swap);
    expect(JSON.parse(JSON.stringify(view))).toEqual({
      id: swap.quoteId,
      quoteId: expect.stringMatching(UUID_V7),
      status: 'pending',
      provider: 'beta',
      deadline: 1_800_000_300,
      deadlineDate: '2027-01-15T08:05:00.000Z',
      originChain: 'devnet',
      destinationChain: 'devnet',
      chainIdIn: 31_337,
      chainIdOut: 31_337,
      tokenIn: {
        contract: PRICED.tokenIn,
        symbol: 'USDC',
        name: 'USDC',
        decimals: 6,
        chainId: 31_337,
        amount: '5000000',
        amountInUSD: '5',
        priceInUSD: '1',
        ...PRICE,
      },
      tokenOut: {
        contract: PRICED.tokenOut,
        symbol: 'DAI',
        name: 'DAI',
        decimals: 18,
        chainId: 31_337,
        amount: '4995000',
        amountInUSD: '0',
        priceInUSD: '1',
        ...PRICE,
        expectedAmountOut: '4995000',
        minAmountOut: '4970025',
      },
      expectedAmountOut: '4995000',
      minAmountOut: '4970025',
      slippage: '0.005',
      priceImpactBps: 10_000, // of five dollars, for next to nothing
      feeBreakdown: {
        lines: view.feeBreakdown.lines,
        charges: view.feeBreakdown.lines,
        summary: { platformFeesTotalInUSD: '0', bridgeAndSlippageImpactOutUSD: '5' },
      },
      gasEstimate: { gasLimit: '150000', feePerGas: '2000000000', amountInUSD: '0.6' },
      estimatedDurationSeconds: 15,
      route: [expect.objectContaining({ shareBps: 10_000 })],
      feeSponsorship: false,
      webhookURL: 'https://example.com/h',
    });
  });

  it('for an exact output states the maximum input', async () => {
    const providers = [offering('alpha', 4_990_000n), offering('beta', 4_980_000n)];
    const swap = await quoteSwap(quoteDeps({ providers }), {
      customerId: CUSTOMER,
      fields: { ...PRICED, amountIn: '', amountOut: '5000000' },
    });
    expect(quoteView(swap)).toMatchObject({
      provider: 'beta',
      maxAmountIn: '5004900',
      expectedAmountOut: '5000000',
      minAmountOut: '5000000',
      tokenIn: { amount: '4980000' },
      tokenOut: { amount: '5000000' },
    });
  });

  it('shows the native coin in the form that the caller sent', async () => {
    const swap = await quoteSwap(quoteDeps(), { customerId: CUSTOMER, fields: { ...PRICED, tokenIn: ZERO_ADDRESS } });
    expect(quoteView(swap).tokenIn).toMatchObject({ contract: ZERO_ADDRESS, symbol: 'ETH', priceInUSD: '2000' });
  });

  it('is neither delayed beyond the budget by a slow provider nor lost through a failing one', async () => {
    const stuck = fakeProvider('stuck', () => wait(10_000, undefined, { ref: false }));
    const broken = fakeProvider('broken', () => Promise.reject(new TypeError('bug')));
    const providers = [stuck, broken, offering('alpha', 7n)];
    const requestProviderQuote = createQuoteRequester({ budgetMs: 50, log: silent });
    const started = performance.now();
    const swap = await quoteSwap(quoteDeps({ providers, requestProviderQuote, budgetMs: 50 }), {
      customerId: CUSTOMER,
      fields: PRICED,
    });
    expect(swap.offer.provider).toBe('alpha');
    expect(performance.now() - started).toBeLessThan(5000); // the slow provider takes ten seconds
  });

  it('is valid without prices and fees, which are then absent', async () => {
    const deps = quoteDeps({
      prices: { priceUsd: () => Promise.reject(new TypeError('no prices')) },
      budgetMs: 50,
      rpc: { feeData: () => wait(10_000, undefined, { ref: false }) as never },
    });
    const view = quoteView(await quoteSwap(deps, { customerId: CUSTOMER, fields: PRICED }));
    expect(view.tokenIn).toMatchObject({ amount: '5000000', amountInUSD: undefined, priceInUSD: undefined });
    expect(view.gasEstimate).toEqual({ gasLimit: '150000', feePerGas: undefined, amountInUSD: undefined });
    expect(view.feeBreakdown.lines.map(({ kind }) => kind)).toEqual(['bridgeAndSlippage']);
  });

  it('fails when the database returns no deadline', async () => {
    const deps = quoteDeps({ quoteDeadline: () => Promise.reject(new TypeError('gone')) });
    expect(await rejection(quoteSwap(deps, { customerId: CUSTOMER, fields: PRICED }))).toBeInstanceOf(TypeError);
  });

  it('shows the price impact that a venue reports as the lost output, for any amounts', () => {
    const price = { usd: ONE_DOLLAR, asOf: PRICED_AT, source: 'peg' };
    const market = { tokenIn: undefined, tokenOut: price, native: undefined, feePerGas: undefined };
    const amounts = fc.bigInt({ min: 1n, max: 2n ** 200n });
    fc.assert(
      fc.property(amounts, fc.integer({ min: 0, max: 9000 }), (spot, impactBps) => {
        const expectedAmountOut = units((spot * BigInt(10_000 - impactBps)) / 10_000n);
        const offer = { ...offerFor(quoteRequest()), expectedAmountOut, priceImpactBps: impactBps };
        const [line] = feeBreakdown({ request: quoteRequest(), offer, market }).lines;
        const lost = BigInt(line!.amountRaw);
        const difference = spot - expectedAmountOut - lost;
        // Two divisions round down, and the first error is magnified by up to 10 at 90 %.
        expect(difference >= 0n && difference <= 11n).toBe(true);
      }),
    );
  });
});
