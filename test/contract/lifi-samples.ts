import { getAddress } from 'viem';
import { NATIVE_TOKEN, ZERO_ADDRESS } from '../../src/chains/addresses';
import { base, ethereum } from '../../src/chains/known/ethereum-family';
import type { BridgeTransfer } from '../../src/venues/delivery-source';
import type { BuildParameters, ProviderQuote, QuoteRequest } from '../../src/venues/quote-provider';
import { ALICE, BOB, quoteRequest, units } from '../swaps/swap-world';

export const DIAMOND = '0x1231DEB6f5749EF6cE6943a275A1D3E7486F4EaE';
export const STRANGER = '0x7411ef7411ef7411ef7411ef7411ef7411ef7411';
export const USDC = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48';
export const USDC_ON_BASE = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
export const TX_HASH = `0x${'ab'.repeat(32)}`;
export const OTHER_TX_HASH = `0x${'cd'.repeat(32)}`;

const token = (chainId: number, address: string, decimals: number) => ({
  ...quoteRequest().tokenIn,
  chainId,
  symbol: 'USDC',
  name: 'USD Coin',
  decimals,
  address,
});
export const AMOUNT = 100_000_000n;

/** USDC of Ethereum for USDC of Base. */
export const swapRequest = (changes: Partial<QuoteRequest> = {}): QuoteRequest =>
  quoteRequest({
    origin: ethereum,
    destination: base,
    tokenIn: token(1, USDC, 6),
    tokenOut: token(8453, USDC_ON_BASE, 6),
    amount: units(AMOUNT),
    originAddress: ALICE,
    destinationAddress: BOB,
    ...changes,
  });
export const ETHER = token(1, NATIVE_TOKEN, 18);

const wireToken = (chainId: number, address: string) => ({
  address: address.toLowerCase(),
  chainId,
  symbol: 'USDC',
  decimals: 6,
  name: 'USD Coin',
  coinKey: 'USDC',
  logoURI: null,
  priceUSD: '0.9999',
});
export const coin = wireToken(1, ZERO_ADDRESS);
const action = {
  fromChainId: 1,
  toChainId: 8453,
  fromAmount: String(AMOUNT),
  slippage: 0.005,
  fromToken: wireToken(1, USDC),
  toToken: wireToken(8453, USDC_ON_BASE),
  fromAddress: ALICE,
  toAddress: BOB,
};
export const transactionRequest = {
  value: '0x0',
  to: DIAMOND,
  from: ALICE,
  chainId: 1,
  gasPrice: '0x3b9aca00',
  gasLimit: '0x4c4b4',
  data: `0x1fd8010c${BOB.slice(2).toLowerCase().padStart(64, '0')}`,
};
export const feeCost = (name: string, amount: string, changes: object = {}) => ({
  name,
  description: name,
  amount,
  amountUSD: '0.25',
  percentage: '0.0025',
  included: true,
  token: action.fromToken,
  ...changes,
});

/** In the documented format of LI.FI. */
export const STEP = {
  type: 'lifi',
  id: '0x11',
  tool: 'stargateV2',
  integrator: 'lifi-api',
  transactionId: TX_HASH,
  toolDetails: { key: 'stargateV2', name: 'StargateV2', logoURI: '' },
  action,
  estimate: {
    tool: 'stargateV2',
    fromAmount: String(AMOUNT),
    toAmount: '99700000',
    toAmountMin: '99201500',
    approvalAddress: DIAMOND,
    executionDuration: 46.5,
    fromAmountUSD: '99.99',
    toAmountUSD: '99.69',
    feeCosts: [feeCost('LIFI Fixed Fee', '250000'), feeCost('Relayer', '50000', { token: action.toToken })],
    gasCosts: [{ type: 'SEND', price: '1', estimate: '312500', limit: '400000', amount: '3', token: coin }],
  },
  includedSteps: [
    {
      id: 'a',
      type: 'protocol',
      tool: 'feeCollection',
      action: { ...action, toChainId: 1, toToken: action.fromToken },
    },
    { id: 'b', type: 'cross', tool: 'stargateV2', action },
  ],
  transactionRequest,
};

/** The offer for STEP. */
const OFFER: ProviderQuote = {
  provider: 'lifi',
  amountIn: units(AMOUNT),
  maxAmountIn: units(AMOUNT),
  nativeFee: 0n,
  route: [],
  expectedAmountOut: units(99_700_000n),
  minAmountOut: units(99_201_500n),
  priceImpactBps: 0,
  gasLimit: 312_500n,
  estimatedDurationSeconds: 47,
  execution: { tool: 'stargateV2' },
};

export const parametersOf = (request: QuoteRequest, changes: Partial<ProviderQuote> = {}): BuildParameters => ({
  request,
  quote: { ...OFFER, ...changes },
  sender: ALICE,
  recipient: BOB,
  deadline: 2_000_000_000,
});

export const transfer = (changes: Partial<BridgeTransfer> = {}): BridgeTransfer => ({
  actionId: '01890a5d-ac96-774b-bcce-b302099a8057',
  request: swapRequest(),
  quote: OFFER,
  sender: ALICE,
  recipient: BOB,
  originTxHash: TX_HASH,
  checkpoint: undefined,
  ...changes,
});

/** The status of a delivered transfer. */
export const ARRIVED = {
  transactionId: TX_HASH,
  fromAddress: ALICE,
  toAddress: BOB,
  tool: 'stargateV2',
  sending: { txHash: TX_HASH, txLink: '', amount: String(AMOUNT), token: action.fromToken, chainId: 1 },
  receiving: { txHash: OTHER_TX_HASH, txLink: '', amount: '99650000', token: action.toToken, chainId: 8453 },
  status: 'DONE',
  substatus: 'COMPLETED',
  substatusMessage: 'The transfer is complete.',
  metadata: {},
};

/** Other tokens that a transfer may deliver. */
export const other = wireToken(8453, getAddress('0x4200000000000000000000000000000000000006'));
export const sold = action.fromToken;
