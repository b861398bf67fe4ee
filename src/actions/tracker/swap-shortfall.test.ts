import { swapShortfall } from './swap-shortfall';

const TOKEN = `0x${'70'.repeat(20)}`;
const action = {
  originAddress: TOKEN,
  receiverAddress: TOKEN,
  chainIdIn: 1,
  chainIdOut: 1,
  tokenIn: TOKEN,
  tokenOut: TOKEN,
  hasFee: false,
  profitFee: 0n,
  amountIn: 1_000_000n,
  unitOut: { symbol: 'USDC', decimals: 6 },
  amountOut: 1_000_000n,
  minAmountOut: 1_000_000n,
};
const shortfall = (kind: string, received: bigint | undefined, changes: Partial<typeof action> = {}) =>
  swapShortfall(
    { kind, chainId: 1, isLast: true, action: { ...action, ...changes } },
    { received, wrappedNative: undefined },
  );

describe('an output below the minimum', () => {
  it('is a shortfall of the last step, whether it is a swap or an operation of a strategy', () => {
    for (const kind of ['SWAP', 'DEPOSIT', 'WITHDRAW']) {
      expect(shortfall(kind, 900_000n)).toBe('Only 0.9 USDC arrived, less than the minimum of 1 USDC');
      expect(shortfall(kind, 1_000_000n)).toBeUndefined();
    }
  });

  it('is no shortfall when the events of an operation of a strategy do not show the amount', () => {
    expect(shortfall('DEPOSIT', undefined)).toBeUndefined();
    expect(shortfall('WITHDRAW', undefined)).toBeUndefined();
    expect(shortfall('SWAP', undefined)).toContain('Only 0 USDC');
  });

  it('is a shortfall of a claim also when another account has claimed before, so that it brings nothing', () => {
    expect(shortfall('CLAIM', 1_000_000n)).toBeUndefined();
    expect(shortfall('CLAIM', 900_000n)).toContain('Only 0.9 USDC');
    expect(shortfall('CLAIM', undefined)).toBe('Only 0 USDC arrived, less than the minimum of 1 USDC');
  });

  it('is no shortfall of a deposit as long as only the price of the shares has grown meanwhile', () => {
    expect(shortfall('DEPOSIT', 997_000n)).toBeUndefined();
    expect(shortfall('DEPOSIT', 996_999n)).toBeDefined();
    expect(shortfall('WITHDRAW', 999_999n)).toBeDefined();
  });
});
