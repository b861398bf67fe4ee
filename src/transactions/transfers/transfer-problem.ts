import { serviceError, type ServiceError } from '../../errors/service-error';

/** Machine-readable reason for the refusal of a transfer, in `details.kind`. */
export type TransferProblemKind =
  | 'INSUFFICIENT_BALANCE'
  | 'RECIPIENT_IS_TOKEN'
  | 'RECIPIENT_IS_SENDER'
  | 'RECIPIENT_IS_NOT_A_WALLET'
  | 'TOKEN_PAUSED'
  | 'ADDRESS_BLOCKED'
  | 'ACCOUNT_FROZEN'
  | 'AMOUNT_TOO_SMALL'
  | 'MEMO_REQUIRED'
  | 'TOKEN_NOT_SUPPORTED'
  | 'FEE_ON_TRANSFER'
  | 'NOT_TRANSFERRED'
  | 'REVERTED';

export interface TransferProblem {
  readonly kind: TransferProblemKind;
  /** Human-readable. */
  readonly reason: string;
}

/** TRANSFER_VALIDATION_FAILED with `details.kind` and `details.reason`. */
export const transferError = ({ kind, reason }: TransferProblem): ServiceError =>
  serviceError('TRANSFER_VALIDATION_FAILED', { reason }, { details: { kind, reason } });
