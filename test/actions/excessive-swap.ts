import { type Address, encodeFunctionData, parseAbi } from 'viem';
import type { UnsignedCall } from '../../src/venues/quote-provider';
import { localToken } from '../contract/local-swaps';
import type { TestUniverse } from '../setup/universe-of-tests';

const v3 = parseAbi([
  'struct Single { address tokenIn; address tokenOut; uint24 fee; address recipient; uint256 amountIn; uint256 amountOutMinimum; uint160 sqrtPriceLimitX96; }',
  'function exactInputSingle(Single) payable returns (uint256)',
]);

/** A swap of USDC for BRLA that reverts, because its minimum output exceeds the pool. */
export const excessiveSwap = (
  chain: TestUniverse['chains'][number],
  {
    account,
    recipient,
    amountIn,
  }: { readonly account: Address; readonly recipient: Address; readonly amountIn: bigint },
): UnsignedCall => ({
  chainId: chain.chainId,
  from: account,
  to: chain.uniswapV3.router,
  value: 0n,
  data: encodeFunctionData({
    abi: v3,
    args: [
      {
        tokenIn: localToken(chain, 'USDC').address as Address,
        tokenOut: localToken(chain, 'BRLA').address as Address,
        fee: 100,
        recipient,
        amountIn,
        amountOutMinimum: 2n ** 100n,
        sqrtPriceLimitX96: 0n,
      },
    ],
  }),
});
