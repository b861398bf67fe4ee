import { decodeFunctionData, parseAbi } from 'viem';
import { NATIVE_TOKEN } from '../../../chains/addresses';
import { createChainTable } from '../../../chains/chain-table';
import { KNOWN_CHAINS } from '../../../chains/known-chains';
import { toBaseUnits } from '../../../money/base-units';
import { parseSlippage } from '../../../money/slippage';
import type { BuildParameters } from '../../quote-provider';
import { packedPath } from './route';
import { buildV3RouterCall } from './router-call';

const ethereum = createChainTable(KNOWN_CHAINS).get(1);
const [WETH, USDC, DAI] = ['WETH', 'USDC', 'DAI'].map(
  (symbol) => ethereum.tokens.find((token) => token.symbol === symbol)!.address as `0x${string}`,
) as [`0x${string}`, `0x${string}`, `0x${string}`];
const SENDER = '0x1f9840a85d5aF5bf1D1762F925BDADdC4201F984';
const RECIPIENT = '0x514910771AF9Ca656af840dff83E8264EcF986CA';
const multicall = parseAbi(['function multicall(uint256 deadline, bytes[] data) payable']);
const REFUND = '0x12210e8a';
const UNWRAP = '0x49404b7c';

const token = (address: string) => ({ chainId: 1, address, symbol: 'T', name: 'T', decimals: 18, logoURI: undefined });
const step = (tokenIn: string, tokenOut: string, fee = 500) => ({ tokenIn, tokenOut, fee });

function parameters(pair: readonly [string, string], steps: unknown, side: 'in' | 'out' = 'in'): BuildParameters {
  const [tokenIn, tokenOut] = pair;
  return {
    request: {
      origin: ethereum,
      destination: ethereum,
      tokenIn: token(tokenIn),
      tokenOut: token(tokenOut),
      side,
      amount: toBaseUnits(10n),
      slippage: parseSlippage('0.01')!,
      originAddress: SENDER,
      destinationAddress: RECIPIENT,
    },
    quote: {
      provider: 'uniswapV3',
      route: [],
      priceImpactBps: 0,
      gasLimit: 1n,
      estimatedDurationSeconds: 1,
      amountIn: toBaseUnits(10n),
      maxAmountIn: toBaseUnits(11n),
      expectedAmountOut: toBaseUnits(20n),
      minAmountOut: toBaseUnits(19n),
      execution: { steps },
    },
    sender: SENDER,
    recipient: RECIPIENT,
    deadline: 1_900_000_000,
  };
}
const callsOf = (given: BuildParameters) => {
  const { args } = decodeFunctionData({ abi: multicall, data: buildV3RouterCall(given).data });
  expect(args[0]).toBe(1_900_000_000n);
  return args[1].map((call) => call.slice(0, 10));
};

describe('the call of SwapRouter02', () => {
  it('uses the single-pool function for one pool, and a path for several', () => {
    expect(callsOf(parameters([DAI, USDC], [step(DAI, USDC)]))).toEqual(['0x04e45aaf']);
    expect(callsOf(parameters([DAI, USDC], [step(DAI, USDC)], 'out'))).toEqual(['0x5023b4df']);
    const through = [step(DAI, WETH), step(WETH, USDC)];
    expect(callsOf(parameters([DAI, USDC], through))).toEqual(['0xb858183f']);
    expect(callsOf(parameters([DAI, USDC], through, 'out'))).toEqual(['0x09b81346']);
  });

  it('leaves no coin in the router: it refunds unspent coin and unwraps bought coin for the recipient', () => {
    expect(callsOf(parameters([NATIVE_TOKEN, USDC], [step(WETH, USDC)], 'out')).slice(1)).toEqual([REFUND]);
    expect(callsOf(parameters([NATIVE_TOKEN, USDC], [step(WETH, USDC)])).slice(1)).toEqual([REFUND]);
    expect(callsOf(parameters([USDC, NATIVE_TOKEN], [step(USDC, WETH)])).slice(1)).toEqual([UNWRAP]);
    expect(buildV3RouterCall(parameters([USDC, NATIVE_TOKEN], [step(USDC, WETH)])).data).toContain(
      RECIPIENT.slice(2).toLowerCase(),
    );
    expect(buildV3RouterCall(parameters([NATIVE_TOKEN, USDC], [step(WETH, USDC)], 'out')).value).toBe(11n);
  });

  it.each([
    ['nothing', undefined],
    ['no step', []],
    ['a gap', [step(DAI, WETH), step(USDC, USDC)]],
    ['another end', [step(DAI, WETH)]],
    ['another start', [step(WETH, USDC)]],
    ['an impossible fee', [step(DAI, USDC, 2 ** 24)]],
  ])('is not built from a stored route with %s', (_, steps) => {
    expect(() => buildV3RouterCall(parameters([DAI, USDC], steps))).toThrow(
      expect.objectContaining({ code: 'BYTECODE_GENERATION_FAILED' }),
    );
  });
});

describe('a packed path', () => {
  it('starts with the input token for an exact input, and with the output token for an exact output', () => {
    const steps = [
      { tokenIn: DAI, tokenOut: WETH, fee: 500 },
      { tokenIn: WETH, tokenOut: USDC, fee: 3000 },
    ];
    const [dai, weth, usdc] = [DAI, WETH, USDC].map((address) => address.slice(2).toLowerCase());
    expect(packedPath(steps, 'in')).toBe(`0x${dai!}0001f4${weth!}000bb8${usdc!}`);
    expect(packedPath(steps, 'out')).toBe(`0x${usdc!}000bb8${weth!}0001f4${dai!}`);
  });
});
