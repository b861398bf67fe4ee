import { setTimeout as wait } from 'node:timers/promises';
import {
  type Bound,
  DOLLAR,
  OTHER,
  poolOf,
  depsWith,
  recorded,
  listed,
  streamed,
  pool,
  deep,
  LARGE,
} from '../../test/swaps/impact-world';
import { CUSTOMER, fakeProvider, offerFor, PRICED, quoteDeps, rejection, USDC } from '../../test/swaps/swap-world';
import { quoteSwap } from './quote-swap';

describe('the search of the largest amount', () => {
  const fields = { ...PRICED, tokenOut: OTHER.address, ...LARGE };
  const withoutAmount = {
    provider: 'pool',
    quote: undefined,
    reason: {
      code: 'QUOTE_GENERATION_FAILED',
      message: expect.stringContaining('the price is 33.34 % below the market, more than the allowed 15 %'),
    },
  };

  it('is not made while another provider has an offer', async () => {
    const { provider, amounts } = recorded(pool);
    const deps = depsWith([provider, deep]);
    expect((await quoteSwap(deps, { customerId: CUSTOMER, fields })).offer.provider).toBe('deep');
    expect(await listed(deps, fields)).toMatchObject([withoutAmount, { provider: 'deep', reason: undefined }]);
    expect(amounts).toHaveLength(2);
  });

  it('is not made in a stream while another provider may have an offer', async () => {
    const { provider, amounts } = recorded(pool);
    const slow = fakeProvider('deep', async (request, signal) => {
      await wait(30);
      return deep.quote(request, signal);
    });
    expect(await streamed(depsWith([provider, slow]), fields, 2)).toMatchObject([
      { provider: 'deep', reason: undefined, outstanding: 1 },
      { ...withoutAmount, outstanding: 0 },
    ]);
    expect(amounts).toHaveLength(1);
  });

  it('is made once in a stream for each provider, and its amount is kept', async () => {
    const found = recorded(pool);
    const events = await streamed({ ...depsWith([found.provider]), quoteLifetimeSeconds: 0.1 }, fields, 3);
    expect(events.map(({ round, reason }) => [round, reason?.code])).toEqual(
      [1, 2, 3].map((round) => [round, 'AMOUNT_IN_TOO_HIGH']),
    );
    expect(found.amounts).toHaveLength(4);
    const none = recorded(poolOf('skewed', 10n ** 30n, { skew: 50n }));
    const failures = await streamed({ ...depsWith([none.provider]), quoteLifetimeSeconds: 0.1 }, fields, 3);
    expect(failures.map(({ reason }) => reason?.code)).toEqual([1, 2, 3].map(() => 'QUOTE_GENERATION_FAILED'));
    expect(none.amounts).toHaveLength(4);
  });

  it('serves requests for other amounts of the same route and bound, also at the same time', async () => {
    const { provider, amounts } = recorded(pool);
    const deps = depsWith([provider]);
    const maximumFor = async (dollars: bigint, maxPriceImpactBps = 1500): Promise<unknown> => {
      const given = { ...fields, amountIn: (dollars * DOLLAR).toString(), maxPriceImpactBps };
      const error = await rejection(quoteSwap(deps, { customerId: CUSTOMER, fields: given }));
      return (error as Bound).details['maximum'];
    };
    const maximum = await maximumFor(500_000n);
    expect(amounts).toHaveLength(2);
    expect(await Promise.all([maximumFor(900_000n), maximumFor(180_000n)])).toEqual([maximum, maximum]);
    expect(amounts).toHaveLength(4);
    const [one, other] = await Promise.all([maximumFor(500_000n, 1000), maximumFor(900_000n, 1000)]);
    expect(other).toBe(one);
    expect(amounts).toHaveLength(7);
  });

  it('is not shared between requests to a ramp', async () => {
    const reserve = 20_000n * DOLLAR;
    const ramp = fakeProvider(
      'primary',
      (request) => {
        const paid = request.amount * 10_000n;
        const priced = (paid * reserve) / (reserve + paid);
        return Promise.resolve(offerFor(request, { provider: 'primary', priced, priceImpactBps: undefined }));
      },
      { capabilities: { supports: () => true } },
    );
    const { provider, amounts } = recorded(ramp);
    const deps = quoteDeps({ providers: [provider], maxPriceImpactBps: 1500 });
    const route = { ...PRICED, originChain: 'fiat', tokenIn: 'BRL', tokenOut: USDC.address };
    for (const amountIn of ['1000000', '1100000'])
      expect(await rejection(quoteSwap(deps, { customerId: CUSTOMER, fields: { ...route, amountIn } }))).toMatchObject({
        code: 'AMOUNT_IN_TOO_HIGH',
        details: { currency: 'BRL' },
      });
    expect(amounts).toHaveLength(4);
  });
});
