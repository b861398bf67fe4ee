import {
  type AbiFunction,
  type Address,
  concatHex,
  decodeAbiParameters,
  type Hex,
  numberToHex,
  padHex,
  parseAbiItem,
  toFunctionSelector,
} from 'viem';
import type { ContractRead } from '../rpc/contract-read';

/*
 * Reads of V3 pools: hundreds in every block. Unlike those of `contractRead`, their selectors are hashed
 * once. Results may be longer than the decoded fields: forks of Uniswap append fields of their own.
 */

type Argument = number | Address;

function preparedRead<Result>({ inputs, outputs, ...item }: AbiFunction, read: (values: readonly unknown[]) => Result) {
  const selector = toFunctionSelector({ inputs, outputs, ...item });
  const decode = (data: Hex): Result => read(decodeAbiParameters(outputs, data));
  return (to: Address, argument?: Argument): ContractRead<Result> => ({
    to,
    data: argument === undefined ? selector : concatHex([selector, wordOf(argument)]),
    decode,
  });
}

const wordOf = (argument: Argument): Hex =>
  typeof argument === 'number' ? numberToHex(argument, { size: 32, signed: true }) : padHex(argument, { size: 32 });

/** Square root of the price times 2^96, and the tick. */
export const slot0Of = preparedRead(
  parseAbiItem('function slot0() view returns (uint160 sqrtPriceX96, int24 tick)'),
  ([sqrtPriceX96, tick]) => ({ sqrtPriceX96: sqrtPriceX96 as bigint, tick: tick as number }),
);
/** Liquidity at the current price. */
export const liquidityOf = preparedRead(
  parseAbiItem('function liquidity() view returns (uint128)'),
  ([liquidity]) => liquidity as bigint,
);
export const tickSpacingOf = preparedRead(
  parseAbiItem('function tickSpacing() view returns (int24)'),
  ([spacing]) => spacing as number,
);
/** One word of the tick bitmap, by its number. */
export const bitmapWordOf = preparedRead(
  parseAbiItem('function tickBitmap(int16 wordPosition) view returns (uint256)'),
  ([bits]) => bits as bigint,
);
/** Change of the liquidity when the price rises across a tick. */
export const liquidityNetOf = preparedRead(
  parseAbiItem('function ticks(int24 tick) view returns (uint128 liquidityGross, int128 liquidityNet)'),
  ([, liquidityNet]) => liquidityNet as bigint,
);
export const erc20BalanceOf = preparedRead(
  parseAbiItem('function balanceOf(address owner) view returns (uint256)'),
  ([balance]) => balance as bigint,
);
