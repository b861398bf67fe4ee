import { serviceError, type ServiceError } from '../../errors/service-error';

/** What is wrong with a transfer, for programs. */
export type TransferFlawKind =
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

export interface TransferFlaw {
  readonly kind: TransferFlawKind;
  /** In words. */
  readonly reason: string;
}

/** TRANSFER_VALIDATION_FAILED that says why in `details.reason`, and for programs in `details.kind`. */
export const invalidTransfer = ({ kind, reason }: TransferFlaw): ServiceError =>
  serviceError('TRANSFER_VALIDATION_FAILED', { reason }, { details: { kind, reason } });
