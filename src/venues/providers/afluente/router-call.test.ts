import { decodeFunctionData, type Hex, parseAbi } from 'viem';
import { NATIVE_TOKEN } from '../../../chains/addresses';
import { createChainTable } from '../../../chains/chain-table';
import { KNOWN_CHAINS } from '../../../chains/known-chains';
import { toBaseUnits } from '../../../money/base-units';
import { parseSlippage } from '../../../money/slippage';
import type { BuildParameters } from '../../quote-provider';
import { buildSplitRouterCall } from './router-call';

const ethereum = createChainTable(KNOWN_CHAINS).get(1);
const [WETH, USDC, DAI] = ['WETH', 'USDC', 'DAI'].map(
  (symbol) => ethereum.tokens.find((token) => token.symbol === symbol)!.address as Hex,
);
const SENDER = '0x1f9840a85d5aF5bf1D1762F925BDADdC4201F984';
const ROUTER_ITSELF = '0x0000000000000000000000000000000000000002';
const abi = parseAbi([
  'struct ExactInputParams { bytes path; address recipient; uint256 amountIn; uint256 amountOutMinimum; }',
  'struct ExactOutputParams { bytes path; address recipient; uint256 amountOut; uint256 amountInMaximum; }',
  'function exactInput(ExactInputParams params)',
  'function exactOutput(ExactOutputParams params)',
  'function swapExactTokensForTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to)',
  'function sweepToken(address token, uint256 amountMinimum, address recipient)',
  'function unwrapWETH9(uint256 amountMinimum, address recipient)',
  'function refundETH()',
  'function multicall(uint256 deadline, bytes[] data)',
]);
const token = (address: string) => ({ chainId: 1, address, symbol: 'T', name: 'T', decimals: 18, logoURI: undefined });
const step = (tokenIn: unknown, tokenOut: unknown, fee: number | null) => ({ tokenIn, tokenOut, fee });
const split = (amountIn: string, amountOut: string, steps: readonly unknown[]) => ({ amountIn, amountOut, steps });

interface Sample {
  readonly pair: readonly [string, string];
  readonly side?: 'in' | 'out';
  readonly splits: readonly unknown[];
  readonly recipient?: string;
}

/** 10 in for 20 out; at most 12 in, at least 19 out. */
function parameters({ pair, side = 'in', splits, recipient = SENDER }: Sample): BuildParameters {
  const [maxAmountIn, minAmountOut] = side === 'in' ? [10n, 19n] : [12n, 20n];
  const amounts = { amountIn: 10n, maxAmountIn, expectedAmountOut: 20n, minAmountOut };
  return {
    request: {
      origin: ethereum,
      destination: ethereum,
      tokenIn: token(pair[0]),
      tokenOut: token(pair[1]),
      side,
      amount: toBaseUnits(side === 'in' ? 10n : 20n),
      slippage: parseSlippage('0.01')!,
      originAddress: SENDER,
      destinationAddress: recipient,
    },
    quote: {
      provider: 'afluente',
      route: [],
      priceImpactBps: 0,
      gasLimit: 1n,
      estimatedDurationSeconds: 1,
      execution: { ways: splits },
      ...(amounts as Record<keyof typeof amounts, never>),
    },
    sender: SENDER,
    recipient,
    deadline: 1_900_000_000,
  };
}

function callsOf(sample: Sample) {
  const built = buildSplitRouterCall(parameters(sample));
  const { args } = decodeFunctionData({ abi, data: built.data });
  const [deadline, calls] = args as readonly [bigint, readonly Hex[]];
  expect(deadline).toBe(1_900_000_000n);
  return { built, calls: calls.map((data) => decodeFunctionData({ abi, data })) };
}

const direct = (amountIn: string, amountOut: string, fee: number | null) =>
  split(amountIn, amountOut, [step(DAI, USDC, fee)]);

describe('the call of our router', () => {
  it('sends a single split directly to the recipient, with the minimum output', () => {
    const { built, calls } = callsOf({ pair: [DAI!, USDC!], splits: [direct('10', '20', 500)] });
    expect(built).toMatchObject({ to: ethereum.uniswapV3!.router, spender: ethereum.uniswapV3!.router, value: 0n });
    expect(calls).toMatchObject([
      { functionName: 'exactInput', args: [{ amountIn: 10n, amountOutMinimum: 19n, recipient: SENDER }] },
    ]);
  });

  it('collects several splits and checks the minimum of their sum', () => {
    const splits = [direct('7', '14', 500), direct('3', '6', null)];
    expect(callsOf({ pair: [DAI!, USDC!], splits }).calls).toMatchObject([
      { functionName: 'exactInput', args: [{ amountIn: 7n, amountOutMinimum: 0n, recipient: ROUTER_ITSELF }] },
      { functionName: 'swapExactTokensForTokens', args: [3n, 0n, [DAI, USDC], ROUTER_ITSELF] },
      { functionName: 'sweepToken', args: [USDC, 19n, SENDER] },
    ]);
  });

  it('swaps the whole output of a V2 segment in the V3 segment that follows it', () => {
    const splits = [split('10', '20', [step(DAI, WETH, null), step(WETH, USDC, 3000)])];
    expect(callsOf({ pair: [DAI!, USDC!], splits }).calls).toMatchObject([
      { functionName: 'swapExactTokensForTokens', args: [10n, 0n, [DAI, WETH], ROUTER_ITSELF] },
      { functionName: 'exactInput', args: [{ amountIn: 0n, amountOutMinimum: 19n, recipient: SENDER }] },
    ]);
  });

  it('sends the native coin as value and refunds the unspent part', () => {
    const splits = [split('10', '20', [step(WETH, USDC, 500)])];
    const { built, calls } = callsOf({ pair: [NATIVE_TOKEN, USDC!], splits });
    expect(built).toMatchObject({ value: 10n, spender: undefined });
    expect(calls.map(({ functionName }) => functionName)).toEqual(['exactInput', 'refundETH']);
  });

  it('unwraps the native coin for the recipient, with the minimum output', () => {
    const splits = [split('10', '20', [step(USDC, WETH, 500)])];
    expect(callsOf({ pair: [USDC!, NATIVE_TOKEN], splits }).calls).toMatchObject([
      { functionName: 'exactInput', args: [{ recipient: ROUTER_ITSELF, amountOutMinimum: 0n }] },
      { functionName: 'unwrapWETH9', args: [19n, SENDER] },
    ]);
  });

  it('limits the inputs of all splits of an exact output to the maximum of the quote', () => {
    const splits = [direct('7', '14', 500), direct('3', '6', 100)];
    expect(callsOf({ pair: [DAI!, USDC!], side: 'out', splits }).calls).toMatchObject([
      { functionName: 'exactOutput', args: [{ amountOut: 14n, amountInMaximum: 9n, recipient: SENDER }] },
      { functionName: 'exactOutput', args: [{ amountOut: 6n, amountInMaximum: 3n, recipient: SENDER }] },
    ]);
  });

  const [SMALL, WHOLE] = [direct('5', '10', 500), direct('10', '20', 500)];
  it.each<[string, Partial<Sample>]>([
    ['no ways', { splits: [] }],
    [
      'more than three ways',
      { splits: [SMALL, direct('2', '4', 100), direct('2', '4', 3000), direct('1', '2', null)] },
    ],
    ['ways that do not add up', { splits: [SMALL, direct('4', '10', 100)] }],
    ['a split that ends elsewhere', { splits: [split('10', '20', [step(DAI, WETH, 500)])] }],
    ['a split that starts elsewhere', { splits: [split('10', '20', [step(WETH, USDC, 500)])] }],
    ['steps that do not meet', { splits: [split('10', '20', [step(DAI, WETH, 500), step(DAI, USDC, 500)])] }],
    ['an invalid address', { splits: [split('10', '20', [step('0x12', USDC, 500)])] }],
    ['an impossible fee', { splits: [direct('10', '20', 2 ** 24)] }],
    ['a zero amount', { splits: [WHOLE, direct('0', '0', 100)] }],
    ['V2 pools for an exact amount out', { side: 'out', splits: [direct('10', '20', null)] }],
    ['the router as recipient', { splits: [WHOLE], recipient: ROUTER_ITSELF }],
  ])('is not built from a stored route with %s', (_, sample) => {
    expect(() => buildSplitRouterCall(parameters({ pair: [DAI!, USDC!], splits: [], ...sample }))).toThrow(
      expect.objectContaining({ code: 'BYTECODE_GENERATION_FAILED' }),
    );
  });
});
