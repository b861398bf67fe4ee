import { type Address, encodeFunctionData, erc20Abi } from 'viem';
import type { UnsignedCall } from '../../../venues/quote-provider';

export interface Approval {
  readonly chainId: number;
  readonly owner: string;
  readonly token: string;
  readonly spender: string;
  /** Exactly what the swap takes, in base units. */
  readonly amount: bigint;
}

/** Lets the spender take the amount, and no more. */
export const approveCall = ({ chainId, owner, token, spender, amount }: Approval): UnsignedCall => ({
  chainId,
  from: owner,
  to: token,
  value: 0n,
  data: encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [spender as Address, amount] }),
});

/** For tokens that refuse to change one allowance to another: first to zero. */
export const approveCallsWithReset = (approval: Approval): readonly UnsignedCall[] => [
  approveCall({ ...approval, amount: 0n }),
  approveCall(approval),
];
