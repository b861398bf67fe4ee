import type { UnsignedCall } from '../../venues/quote-provider';

/** One transaction of an operation, with the approvals that it needs. */
export interface OperationPart {
  readonly kind: 'TRANSFER' | 'SWAP' | 'BRIDGE' | 'DEPOSIT' | 'WITHDRAW' | 'REQUEST' | 'CLAIM';
  /** Protocol or venue of the call; `fee` for the transfer of a fee. */
  readonly protocol: string;
  readonly approvals: readonly UnsignedCall[];
  /** Approvals for a token that refuses to change an allowance above zero; `undefined` when that cannot be the case. */
  readonly approvalsWithReset?: readonly UnsignedCall[] | undefined;
  /** The executing call, with the id of the action. */
  readonly call: UnsignedCall;
  /** What the call may take from the wallet; undefined for a call that was checked before. */
  readonly access?: { readonly token: string; readonly spender: string | undefined } | undefined;
  /** Set for the transfer of a fee: the operation is possible without it. */
  readonly feeRecipient?: string | undefined;
  /** True for a call of the router, which pays the fees itself. */
  readonly isRouted?: boolean | undefined;
}

/** All calls of the parts, in sending order. */
export const callsOf = (parts: readonly OperationPart[]): readonly UnsignedCall[] =>
  parts.flatMap(({ approvals, call }) => [...approvals, call]);
