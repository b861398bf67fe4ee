import type { CustomerId } from '../../auth/principal';
import type { Token } from '../../tokens/token';
import type { TransferRequest } from './parse-transfer-request';

/** A transfer to be carried out: everything checked, everything resolved. */
export interface TransferOrder extends Omit<TransferRequest, 'token'> {
  readonly customerId: CustomerId;
  /** Transactions carry it. */
  readonly actionId: string;
  readonly token: Token;
  readonly signal: AbortSignal;
}
