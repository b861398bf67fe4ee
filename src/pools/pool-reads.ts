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
 * What is read of every concentrated pool after every block: hundreds of reads. Unlike those of `contractRead`, their
 * selectors are hashed once. Answers may be longer than what is decoded: venues append fields of their own.
 */

type Argument = number | Address;

function prepared<Result>({ inputs, outputs, ...item }: AbiFunction, read: (values: readonly unknown[]) => Result) {
  const selector = toFunctionSelector({ inputs, outputs, ...item });
  const decode = (answer: Hex): Result => read(decodeAbiParameters(outputs, answer));
  return (to: Address, argument?: Argument): ContractRead<Result> => ({
    to,
    data: argument === undefined ? selector : concatHex([selector, wordOf(argument)]),
    decode,
  });
}

const wordOf = (argument: Argument): Hex =>
  typeof argument === 'number' ? numberToHex(argument, { size: 32, signed: true }) : padHex(argument, { size: 32 });

/** Square root of the price times 2^96, and the tick. */
export const slot0Of = prepared(
  parseAbiItem('function slot0() view returns (uint160 sqrtPriceX96, int24 tick)'),
  ([sqrtPriceX96, tick]) => ({ sqrtPriceX96: sqrtPriceX96 as bigint, tick: tick as number }),
);
/** Liquidity at the current price. */
export const liquidityOf = prepared(
  parseAbiItem('function liquidity() view returns (uint128)'),
  ([liquidity]) => liquidity as bigint,
);
export const tickSpacingOf = prepared(
  parseAbiItem('function tickSpacing() view returns (int24)'),
  ([spacing]) => spacing as number,
);
/** One word of the bitmap of initialized ticks, by its number. */
export const bitmapWordOf = prepared(
  parseAbiItem('function tickBitmap(int16 wordPosition) view returns (uint256)'),
  ([bits]) => bits as bigint,
);
/** By how much the liquidity changes when the price rises through a tick. */
export const liquidityNetOf = prepared(
  parseAbiItem('function ticks(int24 tick) view returns (uint128 liquidityGross, int128 liquidityNet)'),
  ([, liquidityNet]) => liquidityNet as bigint,
);
export const balanceOf = prepared(
  parseAbiItem('function balanceOf(address owner) view returns (uint256)'),
  ([balance]) => balance as bigint,
);
