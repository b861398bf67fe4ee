import { type Address, type Hex, parseTransaction, serializeTransaction } from 'viem';
import type { FeeData } from './fee-data';
import { maxBigInt } from '../money/min-max';

export type TransactionFees =
  { readonly gasPrice: bigint } | { readonly maxFeePerGas: bigint; readonly maxPriorityFeePerGas: bigint };

/** Contents and fees of a transaction, in wei; without its nonce. */
export interface TransactionTerms {
  readonly to: string;
  readonly data: Hex;
  readonly value: bigint;
  readonly gas: bigint;
  readonly fees: TransactionFees;
}

/** Limit of a replacement's fee, as a multiple of the current fee. */
const MAX_OVERPAY = 10n;

/** A chain without a base fee has only a gas price. */
export const feesOf = ({ maxFeePerGas, maxPriorityFeePerGas }: Omit<FeeData, 'expectedFeePerGas'>): TransactionFees =>
  maxFeePerGas === maxPriorityFeePerGas ? { gasPrice: maxFeePerGas } : { maxFeePerGas, maxPriorityFeePerGas };

/** Maximum cost of a signed transaction to its sender, in wei. */
export function maxCost(raw: Hex): bigint {
  const terms = termsOf(raw);
  return terms.value + maxGasCost(terms);
}

/** Maximum cost of the gas, in wei. */
export const maxGasCost = ({ gas, fees }: Pick<TransactionTerms, 'gas' | 'fees'>): bigint =>
  gas * ('gasPrice' in fees ? fees.gasPrice : fees.maxFeePerGas);

/** The unsigned transaction of a chain, without its nonce. */
export function serializeTerms({ to, fees, ...rest }: TransactionTerms, chainId: number): Hex {
  const transaction = { ...rest, to: to as Address, chainId };
  return 'gasPrice' in fees
    ? serializeTransaction({ type: 'legacy', ...transaction, ...fees })
    : serializeTransaction({ type: 'eip1559', ...transaction, ...fees });
}

/**
 * The terms of a replacement: the fees raised by an eighth, the minimum that nodes accept, or the current fees when they
 * are higher. `undefined` when the result exceeds a multiple of the current fees.
 */
export function replacementTerms(raw: Hex, now: FeeData): TransactionTerms | undefined {
  const terms = termsOf(raw);
  const { fees } = terms;
  const before = 'gasPrice' in fees ? { maxFeePerGas: fees.gasPrice, maxPriorityFeePerGas: fees.gasPrice } : fees;
  const maxFeePerGas = maxBigInt(raisedByEighth(before.maxFeePerGas), now.maxFeePerGas);
  const maxPriorityFeePerGas = maxBigInt(raisedByEighth(before.maxPriorityFeePerGas), now.maxPriorityFeePerGas);
  if (maxFeePerGas > now.maxFeePerGas * MAX_OVERPAY) return undefined;
  return { ...terms, fees: feesOf({ maxFeePerGas, maxPriorityFeePerGas }) };
}

function termsOf(raw: Hex): TransactionTerms {
  const { to, data = '0x', value = 0n, gas = 0n, gasPrice, maxFeePerGas, maxPriorityFeePerGas } = parseTransaction(raw);
  const fees =
    gasPrice === undefined
      ? { maxFeePerGas: maxFeePerGas ?? 0n, maxPriorityFeePerGas: maxPriorityFeePerGas ?? 0n }
      : { gasPrice };
  return { to: to ?? '', data, value, gas, fees };
}

const raisedByEighth = (price: bigint): bigint => price + price / 8n + 1n;
