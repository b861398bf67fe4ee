import { type Hex, parseTransaction } from 'viem';
import type { FeeData } from './fee-data';
import { maxBigInt } from '../money/min-max';

export type TransactionFees =
  { readonly gasPrice: bigint } | { readonly maxFeePerGas: bigint; readonly maxPriorityFeePerGas: bigint };

/** What a transaction does, and what it offers for that in wei; without its place among the others of its sender. */
export interface TransactionTerms {
  readonly to: string;
  readonly data: Hex;
  readonly value: bigint;
  readonly gas: bigint;
  readonly fees: TransactionFees;
}

/** A replacement never offers more than this times what the chain asks for now. */
const MOST_OVERPAY = 10n;

/** A chain without a base fee knows but one price. */
export const feesOf = ({ maxFeePerGas, maxPriorityFeePerGas }: Omit<FeeData, 'expectedFeePerGas'>): TransactionFees =>
  maxFeePerGas === maxPriorityFeePerGas ? { gasPrice: maxFeePerGas } : { maxFeePerGas, maxPriorityFeePerGas };

/** The most that a signed transaction takes from its sender, in wei. */
export function mostCost(raw: Hex): bigint {
  const { value, gas, fees } = termsOf(raw);
  return value + gas * ('gasPrice' in fees ? fees.gasPrice : fees.maxFeePerGas);
}

/**
 * The terms of a signed transaction with an eighth more for its fees, which is the least that nodes accept in its place,
 * or what the chain asks for now when that is more; `undefined` when that would be out of all proportion.
 */
export function dearerTerms(raw: Hex, now: FeeData): TransactionTerms | undefined {
  const terms = termsOf(raw);
  const { fees } = terms;
  const before = 'gasPrice' in fees ? { maxFeePerGas: fees.gasPrice, maxPriorityFeePerGas: fees.gasPrice } : fees;
  const maxFeePerGas = maxBigInt(anEighthMore(before.maxFeePerGas), now.maxFeePerGas);
  const maxPriorityFeePerGas = maxBigInt(anEighthMore(before.maxPriorityFeePerGas), now.maxPriorityFeePerGas);
  if (maxFeePerGas > now.maxFeePerGas * MOST_OVERPAY) return undefined;
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

const anEighthMore = (price: bigint): bigint => price + price / 8n + 1n;
