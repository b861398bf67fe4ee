import fc from 'fast-check';
import { isServiceError } from '../../src/errors/service-error';
import { createAfluenteProvider } from '../../src/venues/providers/afluente/afluente';
import { createUniswapV2Provider } from '../../src/venues/providers/uniswap-v2/uniswap-v2';
import { createUniswapV3Provider } from '../../src/venues/providers/uniswap-v3/uniswap-v3';
import type { ProviderQuote, QuoteProvider, QuoteRequest } from '../../src/venues/quote-provider';
import { chainNamed, type TestUniverse, universeOfTests } from '../setup/universe-of-tests';
import { localRequest, rpcOf } from './local-swaps';
import { localPools } from './local-pools';

const SYMBOLS = ['ETH', 'WETH', 'USDC', 'USDT', 'BRLA', 'DAI', 'WBTC', 'RUSD'] as const;

/** Amounts from dust to more than the pools hold, with a uniform distribution of magnitudes. */
const amount = fc
  .record({ digits: fc.integer({ min: 2, max: 24 }), lead: fc.bigInt({ min: 100n, max: 999n }) })
  .map(({ digits, lead }) => (lead * 10n ** BigInt(digits)) / 100n);
const trade = fc.record({
  slug: fc.constantFrom('devnet' as const, 'devnet-l2' as const),
  pair: fc.tuple(fc.constantFrom(...SYMBOLS), fc.constantFrom(...SYMBOLS)),
  amount,
});

describe('the router of the service', () => {
  let universe: TestUniverse;
  let providers: readonly QuoteProvider[];
  let worthOf: (request: QuoteRequest) => Promise<(gas: bigint) => bigint>;
  beforeAll(async () => {
    universe = await universeOfTests();
    const rpc = rpcOf(universe.chains);
    const deps = localPools(rpc);
    const [own, v2, v3] = [createAfluenteProvider(deps), createUniswapV2Provider(deps), createUniswapV3Provider(deps)];
    providers = [own, v2, v3];
    worthOf = async ({ origin, tokenOut }) => {
      const { expectedFeePerGas } = await rpc.feeData(origin.chainId);
      const chain = chainNamed(universe, origin.slug as 'devnet');
      // Gas is valued at the price of a thousandth of a coin.
      const coin = { sender: origin.wrappedNative!, recipient: origin.wrappedNative! };
      if (tokenOut.symbol === 'ETH' || tokenOut.symbol === 'WETH') return (gas) => gas * expectedFeePerGas;
      const sample = localRequest({ chain, pair: ['WETH', tokenOut.symbol], amount: 10n ** 15n, ...coin });
      const bought = await quoteOrUndefined(v3, sample);
      const out = bought?.expectedAmountOut ?? 0n;
      return (gas) => (gas * expectedFeePerGas * out) / 10n ** 15n;
    };
  });

  it('offers at least the output of each venue, net of gas, for any amount in', async () => {
    let [compared, better] = [0, 0];
    await fc.assert(
      fc.asyncProperty(trade, async ({ slug, pair, amount: exact }) => {
        const chain = chainNamed(universe, slug);
        const wallet = universe.accounts[1]!.address;
        const request = localRequest({ chain, pair, amount: exact, sender: wallet, recipient: wallet });
        if (!providers[0]!.capabilities.supports(request)) return;
        const [own, ...others] = await Promise.all(providers.map((each) => quoteOrUndefined(each, request)));
        const worth = await worthOf(request);
        const net = ({ expectedAmountOut, gasLimit }: ProviderQuote): bigint => expectedAmountOut - worth(gasLimit);
        for (const other of others) {
          if (other === undefined) continue;
          compared += 1;
          if (own !== undefined && net(own) > net(other)) better += 1;
          // The value of gas is precise to a few digits only.
          const slack = worth(other.gasLimit) / 1000n + 2n;
          expect(own === undefined ? undefined : net(own) + slack).toBeGreaterThanOrEqual(net(other));
        }
      }),
      { numRuns: 150 },
    );
    expect(compared).toBeGreaterThan(40);
    expect(better).toBeGreaterThan(20);
  });
});

async function quoteOrUndefined(provider: QuoteProvider, request: QuoteRequest): Promise<ProviderQuote | undefined> {
  try {
    return await provider.quote(request, AbortSignal.timeout(10_000));
  } catch (error) {
    if (isServiceError(error) && ['AMOUNT_IN_TOO_LOW', 'AMOUNT_IN_TOO_HIGH'].includes(error.code)) return undefined;
    throw error;
  }
}
