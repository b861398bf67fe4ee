import { chainNamed, type TestUniverse, universeOfTests } from '../setup/universe-of-tests';
import type { Rpc } from '../../src/rpc/rpc';
import { createAfluenteProvider } from '../../src/venues/providers/afluente/afluente';
import { createUniswapV2Provider } from '../../src/venues/providers/uniswap-v2/uniswap-v2';
import { createUniswapV3Provider } from '../../src/venues/providers/uniswap-v3/uniswap-v3';
import type { ProviderQuote } from '../../src/venues/quote-provider';
import { localPools } from './local-pools';
import { localRequest, rpcOf } from './local-swaps';

/** An RPC client that records each eth_call of reads, as the list of its reads with their blocks. */
function recordingRpc(rpc: Rpc) {
  const calls: (readonly string[])[] = [];
  const multicall: Rpc['multicall'] = (chainId, reads, options) => {
    const block = String(options?.blockNumber ?? 'latest');
    calls.push(reads.map(({ to, data }) => `${block} ${to} ${data}`));
    return rpc.multicall(chainId, reads, options);
  };
  return { rpc: { ...rpc, multicall }, calls };
}

describe('the providers that trade on Uniswap pools', () => {
  let universe: TestUniverse;
  const signal = () => AbortSignal.timeout(10_000);
  const chainOf = () => chainNamed(universe, 'devnet');
  const requestOf = () => {
    const wallet = universe.accounts[1]!.address;
    return localRequest({
      chain: chainOf(),
      pair: ['WETH', 'BRLA'],
      amount: 10n ** 17n,
      sender: wallet,
      recipient: wallet,
    });
  };
  const mine = (rpc: Rpc) => rpc.client(chainOf().chainId).request({ method: 'evm_mine' } as never);
  const providersOn = (deps: ReturnType<typeof localPools>) => [
    createAfluenteProvider(deps),
    createUniswapV2Provider(deps),
    createUniswapV3Provider(deps),
  ];
  const amounts = (quotes: readonly (ProviderQuote | undefined)[]) =>
    quotes.map((quote) => [quote?.provider, quote?.amountIn, quote?.expectedAmountOut, quote?.gasLimit]);
  beforeAll(async () => {
    universe = await universeOfTests();
  });

  it('read each pool once per block, in one eth_call for all of them', async () => {
    const { rpc, calls } = recordingRpc(rpcOf([chainOf()]));
    const providers = providersOn(localPools(rpc));
    const quoteAll = () => Promise.all(providers.map((provider) => provider.quote(requestOf(), signal())));
    await quoteAll(); // finds the pools and the ticks near their prices
    await mine(rpc);
    calls.length = 0;
    const quotes = await quoteAll();
    expect(quotes.map((quote) => quote?.provider)).toEqual(['afluente', 'uniswapV2', 'uniswapV3']);
    expect(calls).toHaveLength(2); // the pools, and the prices of the V3 quoter
    for (let round = 0; round < 5; round += 1) await quoteAll(); // of this block, or of the next ones
    const poolReads = calls.flat().filter((read) => !read.startsWith('latest'));
    expect(new Set(poolReads).size).toBe(poolReads.length);
  });

  it('quote the same amounts from shared and from separate reads', async () => {
    const rpc = rpcOf([chainOf()]);
    const shared = providersOn(localPools(rpc));
    const separate = [0, 1, 2].map((index) => providersOn(localPools(rpc))[index]!);
    const [together, alone] = await Promise.all(
      [shared, separate].map((providers) =>
        Promise.all(providers.map((provider) => provider.quote(requestOf(), signal()))),
      ),
    );
    expect(amounts(together!)).toEqual(amounts(alone!));
  });
});
