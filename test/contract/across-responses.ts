import { type Address, encodeFunctionData, type Hex, zeroAddress } from 'viem';
import type { Chain } from '../../src/chains/chain';
import { isServiceError } from '../../src/errors/service-error';
import { toBaseUnits } from '../../src/money/base-units';
import { parseSlippage } from '../../src/money/slippage';
import { createAcrossProvider } from '../../src/venues/providers/across/across';
import { spokePoolAbi, toWord } from '../../src/venues/providers/across/spoke-pool';
import type { ProviderQuote, QuoteRequest } from '../../src/venues/quote-provider';

const address = (digit: string): Address => `0x${digit.repeat(40)}`;
export const [SPOKE_POOL, HANDLER, TOKEN_IN, TOKEN_OUT, WETH] = ['1', '2', '3', '4', '5'].map(address) as [
  Address,
  ...Address[],
] as [Address, Address, Address, Address, Address];
export const [SENDER, RECIPIENT, REFUND, THIEF] = ['a', 'b', 'c', 'd'].map(address) as [
  Address,
  Address,
  Address,
  Address,
];
export const AMOUNT = 1_000_000n;
export const OUTPUT = 999_000n;

const chainOf = (chainId: number): Chain => ({
  slug: `chain-${chainId}`,
  chainId,
  kind: 'evm',
  name: `Chain ${chainId}`,
  explorer: undefined,
  confirmations: 1,
  nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
  wrappedNative: WETH,
  connectors: [],
  dollarTokens: [],
  uniswapV2: undefined,
  uniswapV3: undefined,
  tokens: [],
  across: { spokePool: SPOKE_POOL, multicallHandler: HANDLER },
});
export const [origin, destination] = [chainOf(1), chainOf(10)];
export const tokenOf = (chain: Chain, token: string) => ({
  chainId: chain.chainId,
  address: token,
  symbol: 'T',
  name: 'T',
  decimals: 6,
  logoURI: undefined,
});

export const request: QuoteRequest = {
  origin,
  destination,
  tokenIn: tokenOf(origin, TOKEN_IN),
  tokenOut: tokenOf(destination, TOKEN_OUT),
  side: 'in',
  amount: toBaseUnits(AMOUNT),
  slippage: parseSlippage('0.005')!,
  originAddress: SENDER,
  destinationAddress: RECIPIENT,
  refundAddress: REFUND,
};
export const wrappedOut: QuoteRequest = { ...request, tokenOut: tokenOf(destination, WETH) };

export interface DepositArguments {
  depositor: Hex;
  recipient: Hex;
  inputToken: Hex;
  outputToken: Hex;
  inputAmount: bigint;
  outputAmount: bigint;
  destinationChainId: bigint;
  message: Hex;
}

const honest: DepositArguments = {
  depositor: toWord(REFUND),
  recipient: toWord(RECIPIENT),
  inputToken: toWord(TOKEN_IN),
  outputToken: toWord(TOKEN_OUT),
  inputAmount: AMOUNT,
  outputAmount: OUTPUT,
  destinationChainId: 10n,
  message: '0x',
};
const times = [toWord(zeroAddress), 1_800_000_000, 1_800_007_200, 0] as const;

export function depositCall(changes: Partial<DepositArguments> = {}): Hex {
  const { depositor, recipient, inputToken, outputToken, ...rest } = { ...honest, ...changes };
  const { inputAmount, outputAmount, destinationChainId, message } = rest;
  const args = [
    ...([depositor, recipient, inputToken, outputToken] as const),
    ...([inputAmount, outputAmount, destinationChainId, ...times, message] as const),
  ] as const;
  return encodeFunctionData({ abi: spokePoolAbi, functionName: 'deposit', args });
}

const fee = { amount: '100', pct: '1' };
export interface Changes {
  readonly data?: Hex;
  readonly swapTx?: object;
  readonly bridge?: object;
  readonly steps?: object;
  readonly minOutputAmount?: string;
}

export const swapResponseOf = ({
  data = depositCall(),
  swapTx,
  bridge,
  steps,
  minOutputAmount = String(OUTPUT),
}: Changes = {}) => ({
  steps: {
    bridge: {
      provider: 'across',
      inputAmount: String(AMOUNT),
      outputAmount: String(OUTPUT),
      fees: { details: { relayerCapital: fee, destinationGas: fee, lp: { amount: '0', pct: '0' } } },
      ...bridge,
    },
    ...steps,
  },
  minOutputAmount,
  expectedFillTime: 1.5,
  swapTx: { chainId: 1, to: SPOKE_POOL, data, ...swapTx },
});

const rpc = { serves: () => true, request: unexpectedCall, multicall: unexpectedCall };
function unexpectedCall(): never {
  throw new Error('a quote calls no chain');
}

export const providerWith = (get: (path: string) => unknown) =>
  createAcrossProvider({
    http: {
      get: (path) => new Promise((resolve) => resolve(get(path))),
      post: unexpectedCall,
      call: unexpectedCall,
      close: unexpectedCall,
    },
    rpc,
  });

export const { signal } = new AbortController();
export const reason = (error: unknown): unknown => (isServiceError(error) ? error.code : error);
export const quoteWith = (changes: Changes, swapRequest = request) =>
  providerWith(() => swapResponseOf(changes)).quote(swapRequest, signal);
export async function buildWith(
  get: (path: string) => unknown,
  swapRequest = request,
  changes: Partial<ProviderQuote> = {},
) {
  const quote = { ...(await quoteWith({}, request))!, ...changes };
  const parties = { sender: SENDER, recipient: RECIPIENT, deadline: 0 };
  return providerWith(get).build({ request: swapRequest, quote, ...parties }, signal);
}
