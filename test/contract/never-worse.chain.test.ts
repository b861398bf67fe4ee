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

/** From dust to more than the pools hold, every magnitude as likely as the next. */
const amount = fc
  .record({ digits: fc.integer({ min: 2, max: 24 }), lead: fc.bigInt({ min: 100n, max: 999n }) })
  .map(({ digits, lead }) => (lead * 10n ** BigInt(digits)) / 100n);
const trade = fc.record({
  slug: fc.constantFrom('devnet' as const, 'devnet-l2' as const),
  pair: fc.tuple(fc.constantFrom(...SYMBOLS), fc.constantFrom(...SYMBOLS)),
  amount,
});

describe('the own router', () => {
  let universe: TestUniverse;
  let providers: readonly QuoteProvider[];
  let worthOf: (request: QuoteRequest) => Promise<(gas: bigint) => bigint>;
  beforeAll(async () => {
    universe = await universeOfTests();
    const rpc = rpcOf(universe.chains);
    const deps = localPools(rpc);
    const [mine, v2, v3] = [createAfluenteProvider(deps), createUniswapV2Provider(deps), createUniswapV3Provider(deps)];
    providers = [mine, v2, v3];
    worthOf = async ({ origin, tokenOut }) => {
      const { expectedFeePerGas } = await rpc.feeData(origin.chainId);
      const chain = chainNamed(universe, origin.slug as 'devnet');
      // What a thousandth of a coin buys.
      const coin = { sender: origin.wrappedNative!, recipient: origin.wrappedNative! };
      if (tokenOut.symbol === 'ETH' || tokenOut.symbol === 'WETH') return (gas) => gas * expectedFeePerGas;
      const sample = localRequest({ chain, pair: ['WETH', tokenOut.symbol], amount: 10n ** 15n, ...coin });
      const bought = await quoteOrNothing(v3, sample);
      const out = bought?.expectedAmountOut ?? 0n;
      return (gas) => (gas * expectedFeePerGas * out) / 10n ** 15n;
    };
  });

  it('offers no less than either venue alone, for any amount in, gas taken off', async () => {
    let [compared, better] = [0, 0];
    await fc.assert(
      fc.asyncProperty(trade, async ({ slug, pair, amount: exact }) => {
        const chain = chainNamed(universe, slug);
        const wallet = universe.accounts[1]!.address;
        const request = localRequest({ chain, pair, amount: exact, sender: wallet, recipient: wallet });
        if (!providers[0]!.capabilities.supports(request)) return;
        const [mine, ...others] = await Promise.all(providers.map((each) => quoteOrNothing(each, request)));
        const worth = await worthOf(request);
        const net = ({ expectedAmountOut, gasLimit }: ProviderQuote): bigint => expectedAmountOut - worth(gasLimit);
        for (const other of others) {
          if (other === undefined) continue;
          compared += 1;
          if (mine !== undefined && net(mine) > net(other)) better += 1;
          // What gas is worth is known to a few digits only.
          const slack = worth(other.gasLimit) / 1000n + 2n;
          expect(mine === undefined ? undefined : net(mine) + slack).toBeGreaterThanOrEqual(net(other));
        }
      }),
      { numRuns: 150 },
    );
    expect(compared).toBeGreaterThan(40);
    expect(better).toBeGreaterThan(20);
  }, 60_000);
});

async function quoteOrNothing(provider: QuoteProvider, request: QuoteRequest): Promise<ProviderQuote | undefined> {
  try {
    return await provider.quote(request, AbortSignal.timeout(10_000));
  } catch (error) {
    if (isServiceError(error) && ['AMOUNT_IN_TOO_LOW', 'AMOUNT_IN_TOO_HIGH'].includes(error.code)) return undefined;
    throw error;
  }
}
