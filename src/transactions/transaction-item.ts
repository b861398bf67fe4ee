import type { Hex } from 'viem';
import type { UnsignedCall } from '../quotes/quote-provider';

/** A call as the contract writes it. */
export interface TransactionItem {
  readonly chainId: string;
  readonly to: string;
  readonly data: Hex;
  /** Native coin sent along, in wei: decimal digits. */
  readonly value: string;
  readonly from: string;
}

export const transactionItem = ({ chainId, to, data, value, from }: UnsignedCall): TransactionItem => ({
  chainId: chainId.toString(),
  ...{ to, data, value: value.toString(), from },
});
