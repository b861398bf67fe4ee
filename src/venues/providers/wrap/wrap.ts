import { type Address, encodeFunctionData, getAddress, type Hex, parseAbi } from 'viem';
import { isNativeToken, tradedToken } from '../../../chains/addresses';
import { serviceError } from '../../../errors/service-error';
import type { Rpc } from '../../../rpc/rpc';
import type { BuildParameters, ProviderQuote, QuoteProvider, QuoteRequest, SwapCall } from '../../quote-provider';

const ID = 'wrap';

const weth9 = parseAbi(['function deposit() payable', 'function withdraw(uint256 amount)']);
/** SwapRouter02, which sends the wrapped or unwrapped coin to another recipient. */
const router = parseAbi([
  'function wrapETH(uint256 value) payable',
  'function sweepToken(address token, uint256 amountMinimum, address recipient) payable',
  'function pull(address token, uint256 value) payable',
  'function unwrapWETH9(uint256 amountMinimum, address recipient) payable',
  'function multicall(uint256 deadline, bytes[] data) payable returns (bytes[] results)',
]);

/** Wraps and unwraps the native coin one to one. */
export function createWrapProvider({ rpc }: { readonly rpc: Pick<Rpc, 'serves'> }): QuoteProvider {
  return {
    id: ID,
    capabilities: {
      supports: (request) => wrapperOf(request) !== undefined && rpc.serves(request.origin.chainId),
    },
    quote: (request, signal) =>
      Promise.resolve().then(() => {
        if (signal.aborted)
          throw serviceError('PROVIDER_UNAVAILABLE', { provider: ID, reason: 'the request was cancelled' });
        return quoteOf(request);
      }),
    build: (parameters) => Promise.resolve().then(() => callOf(parameters)),
  };
}

type WrappedPair = Pick<QuoteRequest, 'origin' | 'destination' | 'tokenIn' | 'tokenOut'>;

/** The wrapper contract; `undefined` unless the pair is the coin and its wrapper. */
function wrapperOf({ origin, destination, tokenIn, tokenOut }: WrappedPair): Address | undefined {
  if (origin.kind !== 'evm' || origin.chainId !== destination.chainId) return undefined;
  if (isNativeToken(tokenIn.address) === isNativeToken(tokenOut.address)) return undefined;
  const [wrapperIn, wrapperOut] = [tokenIn, tokenOut].map(({ address }) => tradedToken(origin, address as Address));
  return wrapperIn === wrapperOut ? wrapperIn : undefined;
}

function quoteOf(request: QuoteRequest): ProviderQuote | undefined {
  const wrapper = wrapperOf(request);
  const { originAddress, destinationAddress } = request;
  const isForOther =
    originAddress !== undefined && destinationAddress !== undefined && originAddress !== destinationAddress;
  if (wrapper === undefined || (isForOther && request.origin.uniswapV3 === undefined)) return undefined;
  const { chainId } = request.origin;
  const [tokenIn, tokenOut] = [request.tokenIn.address, request.tokenOut.address];
  return {
    provider: ID,
    amountIn: request.amount,
    maxAmountIn: request.amount,
    expectedAmountOut: request.amount,
    minAmountOut: request.amount,
    route: [{ protocol: 'wrap', chainId, tokenIn, tokenOut, shareBps: 10_000, pool: wrapper }],
    priceImpactBps: 0,
    gasLimit: isForOther ? 150_000n : 60_000n,
    estimatedDurationSeconds: 15,
    execution: {},
  };
}

function callOf(parameters: BuildParameters): SwapCall {
  const { request, quote, sender, recipient } = parameters;
  const wrapper = wrapperOf(request);
  if (wrapper === undefined) throw unusable('the request neither wraps nor unwraps');
  const wraps = isNativeToken(request.tokenIn.address);
  const shared = {
    kind: 'call' as const,
    chainId: request.origin.chainId,
    from: sender,
    value: wraps ? quote.amountIn : 0n,
  };
  if (getAddress(sender) === getAddress(recipient)) {
    const data = wraps
      ? encodeFunctionData({ abi: weth9, functionName: 'deposit' })
      : encodeFunctionData({ abi: weth9, functionName: 'withdraw', args: [quote.amountIn] });
    return { ...shared, to: wrapper, data, spender: undefined };
  }
  const through = request.origin.uniswapV3?.router;
  if (through === undefined) throw unusable('the wrapper serves only its sender on this chain');
  const calls = wraps ? wrapFor(parameters, wrapper) : unwrapFor(parameters, wrapper);
  const args = [BigInt(parameters.deadline), calls] as const;
  const data = encodeFunctionData({ abi: router, functionName: 'multicall', args });
  return { ...shared, to: through, data, spender: wraps ? undefined : through };
}

const unusable = (reason: string) => serviceError('BYTECODE_GENERATION_FAILED', { reason });

function wrapFor({ quote, recipient }: BuildParameters, wrapper: Address): readonly Hex[] {
  const sweep = [wrapper, quote.amountIn, getAddress(recipient)] as const;
  return [
    encodeFunctionData({ abi: router, functionName: 'wrapETH', args: [quote.amountIn] }),
    encodeFunctionData({ abi: router, functionName: 'sweepToken', args: sweep }),
  ];
}

function unwrapFor({ quote, recipient }: BuildParameters, wrapper: Address): readonly Hex[] {
  return [
    encodeFunctionData({ abi: router, functionName: 'pull', args: [wrapper, quote.amountIn] }),
    encodeFunctionData({ abi: router, functionName: 'unwrapWETH9', args: [quote.amountIn, getAddress(recipient)] }),
  ];
}
