import type { CustomerId } from '../../src/auth/principal';
import { NATIVE_TOKEN, WRAPPED_SOL } from '../../src/chains/addresses';
import type { Chain } from '../../src/chains/chain';
import { createChainTable } from '../../src/chains/chain-table';
import { KNOWN_CHAINS } from '../../src/chains/known-chains';
import { type BaseUnits, toBaseUnits } from '../../src/money/base-units';
import { subtractShare, parseSlippage, addShare } from '../../src/money/slippage';
import { createQuoteRequester } from '../../src/venues/request-provider-quote';
import type { ProviderQuote, QuoteProvider, QuoteRequest, SwapCall } from '../../src/venues/quote-provider';
import type { QuoteDeps } from '../../src/quotes/quote-swap';
import type { Token } from '../../src/tokens/token';
import { usdPrice } from '../setup/usd';
import { fakeFiat } from './fake-fiat';

/** A world in memory: one supported chain with three tokens, and scripted providers. */
export const CUSTOMER = '01890a5d-ac96-774b-bcce-b302099a8057' as CustomerId;
export const ALICE = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
export const BOB = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC';
export const ROUTER = '0x68b3465833fb72A70ecDF485E0e4C7bD8665Fc45';
export const SOLANA_WALLET = '7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV';

export const devnet: Chain = {
  slug: 'devnet',
  chainId: 31_337,
  kind: 'evm',
  name: 'Devnet',
  explorer: undefined,
  confirmations: 1,
  nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
  wrappedNative: '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2',
  connectors: [],
  dollarTokens: [],
  uniswapV2: undefined,
  uniswapV3: undefined,
  tokens: [],
};

const token = (symbol: string, address: string, decimals: number): Token => ({
  chainId: devnet.chainId,
  address,
  symbol,
  name: symbol,
  decimals,
  logoURI: undefined,
});

export const USDC = token('USDC', '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48', 6);
export const DAI = token('DAI', '0x6B175474E89094C44Da98b954EedeAC495271d0F', 18);
export const ETH = token('ETH', NATIVE_TOKEN, 18);

/** Destination of the bridges. */
export const devnetL2: Chain = { ...devnet, slug: 'devnet-l2', chainId: 31_338, name: 'Devnet L2' };
const bitcoin: Chain = {
  ...devnet,
  slug: 'bitcoin-local',
  chainId: 20_000_000_000_099,
  kind: 'bitcoin',
  name: 'Bitcoin',
  nativeCurrency: { name: 'Bitcoin', symbol: 'BTC', decimals: 8 },
  wrappedNative: undefined,
};
export const chains = createChainTable([...KNOWN_CHAINS, devnet, devnetL2, bitcoin]);

export const L2_USDC: Token = {
  ...USDC,
  chainId: devnetL2.chainId,
  address: '0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85',
};
export const BTC: Token = { ...token('BTC', 'BTC', 8), chainId: bitcoin.chainId };
const solana = chains.get(1_151_111_081_099_710);
export const SOLANA_USDC: Token = {
  ...USDC,
  chainId: solana.chainId,
  address: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
};
const SOL: Token = { ...token('SOL', WRAPPED_SOL, 9), chainId: solana.chainId };
const fiat = chains.get(0);
export const BRL: Token = { ...token('BRL', 'BRL', 2), chainId: fiat.chainId };
const SERVED: readonly Chain[] = [devnet, devnetL2, bitcoin, solana, fiat];

export const PRICED_AT = new Date('2027-01-15T08:00:00.000Z');

/** Fields of a request that can be priced. */
export const PRICED = {
  originChain: 'devnet',
  destinationChain: 'devnet',
  tokenIn: USDC.address,
  tokenOut: DAI.address,
  amountIn: '5000000',
};
export const BOTH = { originAddress: ALICE, destinationAddress: BOB };

export function quoteRequest(changes: Partial<QuoteRequest> = {}): QuoteRequest {
  return {
    origin: devnet,
    destination: devnet,
    tokenIn: USDC,
    tokenOut: DAI,
    side: 'in',
    amount: toBaseUnits(5_000_000n),
    slippage: parseSlippage('0.005')!,
    originAddress: undefined,
    destinationAddress: undefined,
    ...changes,
  };
}

/** An offer that keeps the request: `priced` is the side that was not given. */
export function offerFor(request: QuoteRequest, changes: Partial<ProviderQuote> & { priced?: bigint } = {}) {
  const { priced = 4_990_000n, ...rest } = changes;
  const { side, amount, slippage } = request;
  const amountIn = side === 'in' ? amount : toBaseUnits(priced);
  const expectedAmountOut = side === 'in' ? toBaseUnits(priced) : amount;
  return {
    provider: 'alpha',
    amountIn,
    expectedAmountOut,
    priceImpactBps: 12,
    gasLimit: 150_000n,
    maxAmountIn: side === 'in' ? amount : addShare(amountIn, slippage),
    minAmountOut: side === 'in' ? subtractShare(expectedAmountOut, slippage) : amount,
    route: [
      {
        protocol: 'alpha',
        chainId: devnet.chainId,
        shareBps: 10_000,
        pool: ROUTER,
        tokenIn: request.tokenIn.address,
        tokenOut: request.tokenOut.address,
      },
    ],
    estimatedDurationSeconds: 15,
    execution: { path: ['a', 'b'] },
    ...rest,
  } satisfies ProviderQuote;
}

type QuoteFunction = (request: QuoteRequest, signal: AbortSignal) => Promise<ProviderQuote | undefined>;

/** A provider that supports every pair of one EVM chain and quotes with `quote`. */
export function fakeProvider(id: string, quote: QuoteFunction, changes: Partial<QuoteProvider> = {}): QuoteProvider {
  return {
    id,
    capabilities: { supports: ({ origin, destination }) => origin === destination && origin.kind === 'evm' },
    quote,
    build: ({ request, quote: offer, sender }) =>
      Promise.resolve({
        kind: 'call',
        chainId: request.origin.chainId,
        from: sender,
        to: ROUTER,
        data: '0xdeadbeef00',
        value: request.tokenIn.address === NATIVE_TOKEN ? offer.maxAmountIn : 0n,
        spender: request.tokenIn.address === NATIVE_TOKEN ? undefined : ROUTER,
      } satisfies SwapCall),
    ...changes,
  };
}

export const offering = (id: string, priced: bigint, gasLimit = 150_000n): QuoteProvider =>
  fakeProvider(id, (request) => Promise.resolve(offerFor(request, { provider: id, priced, gasLimit })));

export const silent = { warn: () => undefined };

export function quoteDeps(changes: Partial<QuoteDeps> = {}): QuoteDeps {
  const tokens = [USDC, DAI, ETH, L2_USDC, BTC, SOLANA_USDC, SOL, BRL];
  return {
    chains,
    webhookUrls: { allowLoopback: false },
    blockedAddresses: new Set<string>(),
    fiat: fakeFiat(),
    providers: [offering('alpha', 4_990_000n)],
    budgetMs: 200,
    isServed: (chain) => SERVED.includes(chain),
    findContractKind: () => Promise.resolve(undefined),
    sponsorship: { allowed: () => Promise.resolve(false) },
    rpc: {
      feeData: () => Promise.resolve({ expectedFeePerGas: 2_000_000_000n }),
    },
    tokens: {
      find: ({ chainId }, address) =>
        Promise.resolve(tokens.find((token) => token.chainId === chainId && token.address === address)),
    },
    prices: {
      priceUsd: ({ symbol }) =>
        Promise.resolve({ usd: usdPrice(symbol === 'ETH' ? '2000' : '1'), asOf: PRICED_AT, source: 'peg' }),
    },
    requestProviderQuote: createQuoteRequester({ budgetMs: 200, log: silent }),
    quoteDeadline: (seconds) => Promise.resolve(new Date(1_800_000_000_000 + seconds * 1000)),
    quoteLifetimeSeconds: 300,
    // The scripted providers offer any amount.
    maxPriceImpactBps: 10_000,
    ...changes,
  };
}

export const units = (amount: bigint): BaseUnits => toBaseUnits(amount);

/** The error that a promise is rejected with. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('it was not rejected');
}
