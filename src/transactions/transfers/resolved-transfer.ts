import type { CustomerId } from '../../auth/principal';
import type { Token } from '../../tokens/token';
import type { TransferRequest } from './parse-transfer-request';

/** A validated transfer request, with its token resolved. */
export interface ResolvedTransfer extends Omit<TransferRequest, 'token'> {
  readonly customerId: CustomerId;
  /** The transactions contain it. */
  readonly actionId: string;
  readonly token: Token;
  readonly signal: AbortSignal;
}
