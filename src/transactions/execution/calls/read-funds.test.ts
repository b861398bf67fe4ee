import { ALICE, devnet, ETH, ROUTER, units, USDC } from '../../../../test/swaps/swap-world';
import type { Token } from '../../../tokens/token';
import type { SwapCall } from '../../../venues/quote-provider';
import { readFunds } from './read-funds';

const call: SwapCall = {
  kind: 'call',
  chainId: devnet.chainId,
  from: ALICE,
  to: ROUTER,
  data: '0xdeadbeef',
  value: 0n,
  spender: ROUTER,
};
/** A chain that returns all balances, then all allowances. */
const chainOf = (...values: readonly bigint[]) => ({ multicall: () => Promise.resolve(values as never) });
const request = (tokenIn: Token, nativeFee?: bigint) => ({
  call,
  request: { origin: devnet, tokenIn },
  offer: { maxAmountIn: units(5_000_000n), nativeFee },
  signal: AbortSignal.timeout(1000),
});

describe('the funds of a sender', () => {
  it('suffice to the last unit', async () => {
    expect(await readFunds(chainOf(5_000_000n, 4n), request(USDC))).toEqual({ allowance: 4n, shortage: undefined });
    expect(await readFunds(chainOf(4_999_999n, 0n), request(USDC))).toMatchObject({
      shortage: 'the sender holds 4.999999 USDC of 5 needed',
    });
  });

  it('include the native coin for the fee', async () => {
    expect((await readFunds(chainOf(5_000_000n, 7n, 0n, 0n), request(USDC, 7n))).shortage).toBeUndefined();
    expect((await readFunds(chainOf(1n, 6n, 0n, 0n), request(USDC, 7n))).shortage).toBe(
      'the sender holds 0.000001 USDC of 5 needed, and 0.000000000000000006 ETH of 0.000000000000000007 needed',
    );
    expect((await readFunds(chainOf(5_000_007n, 0n), request(ETH, 7n))).shortage).toBeUndefined();
    expect((await readFunds(chainOf(5_000_006n, 0n), request(ETH, 7n))).shortage).toMatch(
      /ETH of 0\.000000000005000007/,
    );
  });
});
