import type { ServiceError } from '../../errors/service-error';
import { validationError } from '../../errors/validation';

/** A sponsored operation is refused when its sender lacks the funds: the paymaster pays for failed operations too. */
export const unfundedError = (shortage: string): ServiceError =>
  validationError([{ path: 'originAddress', message: `lacks the funds for a sponsored operation: ${shortage}` }]);
