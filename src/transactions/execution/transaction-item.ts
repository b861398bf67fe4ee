import type { Hex } from 'viem';
import type { UnsignedCall } from '../../venues/quote-provider';

/** A call on an EVM chain as the API represents it. */
export interface CallItem {
  readonly chainId: string;
  readonly to: string;
  readonly data: Hex;
  /** Native coin sent along, in wei: decimal digits. */
  readonly value: string;
  readonly from: string;
}

/** A Solana transaction as the API represents it. */
export interface SolanaItem {
  readonly chainId: string;
  /** Version 0, unsigned, in base64. */
  readonly rawTransaction: string;
}

export type TransactionItem = CallItem | SolanaItem;

export const callItem = ({ chainId, to, data, value, from }: UnsignedCall): CallItem => ({
  chainId: chainId.toString(),
  to,
  data,
  value: value.toString(),
  from,
});

export const solanaItem = ({ chainId, rawTransaction }: { chainId: number; rawTransaction: string }): SolanaItem => ({
  chainId: chainId.toString(),
  rawTransaction,
});
