import fc from 'fast-check';
import { type Address, encodeFunctionData, erc20Abi, maxUint256 } from 'viem';
import { isServiceError } from '../../src/errors/service-error';
import type { ProviderQuote, QuoteProvider, QuoteRequest } from '../../src/venues/quote-provider';
import { createAfluenteProvider } from '../../src/venues/providers/afluente/afluente';
import { createUniswapV2Provider } from '../../src/venues/providers/uniswap-v2/uniswap-v2';
import { createUniswapV3Provider } from '../../src/venues/providers/uniswap-v3/uniswap-v3';
import { readHoldings } from '../../src/rpc/erc20';
import { chainNamed, snapshotOf, type TestUniverse, universeOfTests } from '../setup/universe-of-tests';
import { builtCall, executeLocally, localRequest, type LocalSwap, localToken, rpcOf } from './local-swaps';
import { localPools } from './local-pools';

const SYMBOLS = ['ETH', 'WETH', 'USDC', 'USDT', 'BRLA', 'DAI', 'WBTC', 'RUSD', 'TOLL'] as const;
const OTHER = '0x00000000000000000000000000000000000A11cE';

/** Amounts from one base unit to millions of whole tokens, with a uniform distribution of magnitudes. */
const amount = fc
  .record({ digits: fc.integer({ min: 0, max: 24 }), lead: fc.bigInt({ min: 100n, max: 999n }) })
  .map(({ digits, lead }) => (lead * 10n ** BigInt(digits)) / 100n);
const trade = fc.record({
  slug: fc.constantFrom('devnet' as const, 'devnet-l2' as const),
  pair: fc.tuple(fc.constantFrom(...SYMBOLS), fc.constantFrom(...SYMBOLS)),
  side: fc.constantFrom('in' as const, 'out' as const),
  amount,
  toSender: fc.boolean(),
});

const providers = {
  uniswapV2: createUniswapV2Provider,
  uniswapV3: createUniswapV3Provider,
  afluente: createAfluenteProvider,
};

describe.each(Object.entries(providers))('on an unchanged chain, %s', (_, create) => {
  let universe: TestUniverse;
  let rpc: ReturnType<typeof rpcOf>;
  let provider: QuoteProvider;
  beforeAll(async () => {
    universe = await universeOfTests();
    rpc = rpcOf(universe.chains);
    provider = create(localPools(rpc));
  });

  const isAffordable = async (request: QuoteRequest, quote: ProviderQuote): Promise<boolean> => {
    const { chainId } = request.origin;
    const holder = { token: request.tokenIn.address, owner: request.originAddress! };
    const [holding] = await readHoldings({ rpc, chainId }, [holder]);
    return holding!.balance! > quote.maxAmountIn;
  };

  it('delivers exactly the quoted amount, within the estimated gas', async () => {
    let executed = 0;
    await fc.assert(
      fc.asyncProperty(trade, async ({ slug, pair, side, amount: exact, toSender }) => {
        const chain = chainNamed(universe, slug);
        const account = universe.accounts[1]!;
        const recipient = toSender ? account.address : OTHER;
        const request = localRequest({ chain, pair, side, amount: exact, sender: account.address, recipient });
        if (!provider.capabilities.supports(request)) return;
        const quote = await quoteOrUndefined(provider, request);
        if (quote === undefined || !(await isAffordable(request, quote))) return;
        const revert = await snapshotOf(chain);
        const deadline = Math.floor(Date.now() / 1000) + 3600;
        const parameters = { request, quote, sender: account.address, recipient, deadline };
        const { gasUsed, ...moved } = await executeLocally({ chain, account, provider }, parameters);
        await revert();
        executed += 1;
        expect(moved).toEqual({ spent: quote.amountIn, received: quote.expectedAmountOut });
        expect(gasUsed).toBeLessThanOrEqual(quote.gasLimit);
      }),
      { numRuns: 100 },
    );
    expect(executed).toBeGreaterThan(7);
  });

  describe('protects the wallet', () => {
    const DEADLINE = Math.floor(Date.now() / 1000) + 3600;
    const approvedSwap = async (
      sender: TestUniverse['accounts'][number],
      swap: Partial<LocalSwap>,
      deadline = DEADLINE,
    ) => {
      const chain = chainNamed(universe, 'devnet');
      const wallets = { sender: sender.address, recipient: OTHER } as const;
      const request = localRequest({ chain, pair: ['WETH', 'USDC'], amount: 10n ** 18n, ...wallets, ...swap });
      const quote = (await quoteOrUndefined(provider, request))!;
      const parameters = { request, quote, sender: sender.address, recipient: OTHER, deadline };
      const call = await builtCall(provider, parameters);
      const args = [call.spender as Address, maxUint256] as const;
      const data = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args });
      return [{ from: sender.address, to: request.tokenIn.address, data, value: 0n }, call];
    };

    it.each(['in', 'out'] as const)('from a deadline that has passed, with the exact amount %s', async (side) => {
      const calls = await approvedSwap(universe.accounts[1]!, { side, amount: 10n ** 9n }, 1_600_000_000);
      const [approval, swap] = await rpc.simulate(31337, calls);
      expect(approval!.ok).toBe(true);
      expect(swap!.revertReason).toBe('the deadline has passed');
    });

    it.each([
      ['in', 10n ** 18n, 'less would be received than the minimum'],
      ['out', 3000n * 10n ** 6n, 'more would be spent than the maximum'],
    ] as const)('from a price that moved, with the exact amount %s', async (side, exact, reason) => {
      const own = await approvedSwap(universe.accounts[1]!, { side, amount: exact });
      const others = await approvedSwap(universe.accounts[2]!, { amount: 280n * 10n ** 18n });
      const outcomes = await rpc.simulate(31337, [...others, ...own]);
      expect(outcomes.slice(0, 3).map(({ ok }) => ok)).toEqual([true, true, true]);
      expect(outcomes[3]!.revertReason).toBe(reason);
    });
  });

  it('reports the exact minimum when an amount is too small', async () => {
    const chain = chainNamed(universe, 'devnet');
    const wallets = { sender: universe.accounts[1]!.address, recipient: OTHER } as const;
    const tiny = localRequest({ chain, pair: ['BRLA', 'USDC'], amount: 1n, ...wallets });
    const error: unknown = await provider.quote(tiny, AbortSignal.timeout(60_000)).catch((reason: unknown) => reason);
    if (!isServiceError(error)) throw new Error('no failure');
    const minimum = /min ~0\.(\d+) BRLA/.exec(error.message)?.[1];
    const minimumIn = BigInt(minimum!.padEnd(localToken(chain, 'BRLA').decimals, '0'));
    const enough = await provider.quote({ ...tiny, amount: minimumIn as never }, AbortSignal.timeout(60_000));
    expect(enough?.expectedAmountOut).toBeGreaterThan(0n);
    await expect(
      provider.quote({ ...tiny, amount: (minimumIn - 1n) as never }, AbortSignal.timeout(60_000)),
    ).rejects.toThrow();
  });
});

async function quoteOrUndefined(provider: QuoteProvider, request: QuoteRequest): Promise<ProviderQuote | undefined> {
  try {
    return await provider.quote(request, AbortSignal.timeout(60_000));
  } catch (error) {
    if (isServiceError(error) && ['AMOUNT_IN_TOO_LOW', 'AMOUNT_IN_TOO_HIGH'].includes(error.code)) return undefined;
    throw error;
  }
}
