import { getAddress } from 'viem';
import { NATIVE_TOKEN } from '../../src/chains/addresses';
import { ethereum } from '../../src/chains/known/ethereum-family';
import { parseSlippage } from '../../src/money/slippage';
import type { BuildParameters, ProviderQuote, QuoteRequest } from '../../src/venues/quote-provider';
import { ALICE, BOB, quoteRequest, units } from '../swaps/swap-world';

export const HOLDER = '0x0000000000001fF3684f28c67538d4D072C22734';
export const SETTLER = getAddress('0x7f6cee965959295cc64d0e6c00d99d6532d8e86b');
export const STRANGER = '0x7411ef7411ef7411ef7411ef7411ef7411ef7411';
export const WETH = '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2';
export const DAI = '0x6B175474E89094C44Da98b954EedeAC495271d0F';

export const token = (symbol: string, address: string) => ({
  ...quoteRequest().tokenIn,
  chainId: 1,
  symbol,
  name: symbol,
  decimals: 18,
  address,
});
export const AMOUNT = 100_000_000_000_000_000_000n;
export const swapRequest = (changes: Partial<QuoteRequest> = {}): QuoteRequest =>
  quoteRequest({
    origin: ethereum,
    destination: ethereum,
    tokenIn: token('WETH', WETH),
    tokenOut: token('DAI', DAI),
    amount: units(AMOUNT),
    slippage: parseSlippage('0.01')!,
    originAddress: ALICE,
    destinationAddress: BOB,
    ...changes,
  });
export const native = (changes: Partial<QuoteRequest> = {}) =>
  swapRequest({ tokenIn: token('ETH', NATIVE_TOKEN), ...changes });

/** In the documented format of 0x: addresses in lower case, numbers as text. */
export const PRICE = {
  blockNumber: '20170903',
  buyAmount: '340843848647293527128015',
  buyToken: DAI.toLowerCase(),
  allowanceTarget: HOLDER.toLowerCase(),
  fees: {
    integratorFee: null,
    integratorFees: null,
    zeroExFee: { amount: '512033823706500040753', token: DAI.toLowerCase(), type: 'volume' },
    gasFee: null,
  },
  gas: '522732',
  gasPrice: '14551300000',
  issues: {
    allowance: { actual: '0', spender: HOLDER.toLowerCase() },
    balance: { token: WETH.toLowerCase(), actual: '0', expected: String(AMOUNT) },
    simulationIncomplete: false,
    invalidSourcesPassed: [],
  },
  liquidityAvailable: true,
  minBuyAmount: '337435410160820591856735',
  route: {
    fills: [
      { from: WETH.toLowerCase(), to: DAI.toLowerCase(), source: 'Uniswap_V3', proportionBps: '9000' },
      { from: WETH.toLowerCase(), to: DAI.toLowerCase(), source: 'Maker_PSM', proportionBps: 1000 },
    ],
    tokens: [{ address: WETH.toLowerCase(), symbol: 'WETH' }],
  },
  sellAmount: String(AMOUNT),
  sellToken: WETH.toLowerCase(),
  tokenMetadata: { buyToken: { buyTaxBps: '0', sellTaxBps: '0' } },
  totalNetworkFee: '7606430371600000',
  zid: '0x111111111111111111111111',
};
export const transaction = {
  to: HOLDER.toLowerCase(),
  data: '0x2213bc0b00',
  gas: '288079',
  gasPrice: '73178385',
  value: '0',
};
/** A firm quote, which has the gas in its transaction. */
export const QUOTE = { ...PRICE, gas: undefined, gasPrice: undefined, transaction };
export const NATIVE_QUOTE = {
  ...QUOTE,
  sellToken: NATIVE_TOKEN.toLowerCase(),
  allowanceTarget: null,
  issues: { ...QUOTE.issues, allowance: null },
  transaction: { ...transaction, value: String(AMOUNT) },
};

/** Parameters for building the offer of PRICE. */
export const parametersOf = (request: QuoteRequest, offer: Partial<ProviderQuote>): BuildParameters => ({
  request,
  quote: {
    provider: 'zeroEx',
    amountIn: units(AMOUNT),
    maxAmountIn: units(AMOUNT),
    priceImpactBps: 0,
    gasLimit: 1n,
    expectedAmountOut: units(BigInt(PRICE.buyAmount)),
    minAmountOut: units(BigInt(PRICE.minBuyAmount)),
    route: [],
    estimatedDurationSeconds: 15,
    execution: {},
    ...offer,
  },
  sender: ALICE,
  recipient: BOB,
  deadline: 2_000_000_000,
});
