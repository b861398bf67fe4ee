import { type Address, encodeFunctionData, erc20Abi } from 'viem';
import type { UnsignedCall } from '../../../venues/quote-provider';

export interface Approval {
  readonly chainId: number;
  readonly owner: string;
  readonly token: string;
  readonly spender: string;
  /** The maximum input amount of the swap, in base units. */
  readonly amount: bigint;
}

/** Approves exactly the amount for the spender. */
export const approveCall = ({ chainId, owner, token, spender, amount }: Approval): UnsignedCall => ({
  chainId,
  from: owner,
  to: token,
  value: 0n,
  data: encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [spender as Address, amount] }),
});

/** For tokens that refuse to change a non-zero allowance: a reset to zero first. */
export const approveCallsWithReset = (approval: Approval): readonly UnsignedCall[] => [
  approveCall({ ...approval, amount: 0n }),
  approveCall(approval),
];
