import { parseSlippage } from '../../../money/slippage';
import { toBaseUnits } from '../../../money/base-units';
import { NATIVE_TOKEN } from '../../../chains/addresses';
import { createChainTable } from '../../../chains/chain-table';
import { KNOWN_CHAINS } from '../../../chains/known-chains';
import type { BuildParameters } from '../../quote-provider';
import { buildV2RouterCall } from './router-call';

const ethereum = createChainTable(KNOWN_CHAINS).get(1);
const [WETH, USDC, DAI] = ['WETH', 'USDC', 'DAI'].map(
  (symbol) => ethereum.tokens.find((token) => token.symbol === symbol)!.address,
);
const SENDER = '0x1f9840a85d5aF5bf1D1762F925BDADdC4201F984';
const token = (address: string) => ({ chainId: 1, address, symbol: 'T', name: 'T', decimals: 18, logoURI: undefined });

function parameters(tokenIn: string, tokenOut: string, execution: unknown): BuildParameters {
  const amounts = { amountIn: 10n, maxAmountIn: 11n, expectedAmountOut: 20n, minAmountOut: 19n };
  return {
    request: {
      origin: ethereum,
      destination: ethereum,
      tokenIn: token(tokenIn),
      tokenOut: token(tokenOut),
      side: 'in',
      amount: toBaseUnits(10n),
      slippage: parseSlippage('0.01')!,
      originAddress: SENDER,
      destinationAddress: SENDER,
    },
    quote: {
      provider: 'uniswapV2',
      route: [],
      priceImpactBps: 0,
      gasLimit: 1n,
      estimatedDurationSeconds: 1,
      execution,
      ...(amounts as Record<keyof typeof amounts, never>),
    },
    sender: SENDER,
    recipient: SENDER,
    deadline: 1_900_000_000,
  };
}

describe('the call of router02', () => {
  it('needs an approval for the router, and sends value only when the native coin is sold', () => {
    const sold = buildV2RouterCall(parameters(DAI!, USDC!, { path: [DAI, WETH, USDC] }));
    expect(sold).toMatchObject({ to: ethereum.uniswapV2!.router, spender: ethereum.uniswapV2!.router, value: 0n });
    const coin = buildV2RouterCall(parameters(NATIVE_TOKEN, USDC!, { path: [WETH, USDC] }));
    expect(coin).toMatchObject({ spender: undefined, value: 11n });
  });

  it.each([
    ['nothing', {}],
    ['no path', { path: [] }],
    ['a path that ends elsewhere', { path: ['dai', 'weth'] }],
    ['a path that starts elsewhere', { path: ['weth', 'usdc'] }],
    ['an invalid address', { path: ['dai', '0x1234', 'usdc'] }],
    ['a number', 7],
  ])('is not built from a stored route with %s', (_, stored) => {
    const names: Record<string, string | undefined> = { dai: DAI, weth: WETH, usdc: USDC };
    const execution =
      typeof stored === 'object' && 'path' in stored
        ? { path: stored.path.map((name) => names[name] ?? name) }
        : stored;
    expect(() => buildV2RouterCall(parameters(DAI!, USDC!, execution))).toThrow(
      expect.objectContaining({ code: 'BYTECODE_GENERATION_FAILED' }),
    );
  });

  it('is not built on a chain without Uniswap V2', () => {
    const { request, ...rest } = parameters(DAI!, USDC!, { path: [DAI, USDC] });
    const origin = { ...ethereum, uniswapV2: undefined };
    expect(() => buildV2RouterCall({ ...rest, request: { ...request, origin } })).toThrow(
      expect.objectContaining({ code: 'BYTECODE_GENERATION_FAILED' }),
    );
  });
});
