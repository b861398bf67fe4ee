import { serviceError } from '../../../errors/service-error';
import { pixInfo, readResponse } from './api-schemas';
import { isStatus, serverErrorOf, withoutBody } from './failures';
import type { PrimaryRampApi } from './ramp-api';

/** Resolves when a Pix key exists. @throws as `RampProvider.lookUpPixKey` */
export async function lookUpPixKey(
  { http }: Pick<PrimaryRampApi, 'http'>,
  pixKey: string,
  signal: AbortSignal,
): Promise<void> {
  try {
    readResponse(pixInfo, await http.get('/v2/account/bank-accounts/brl/pix-info', { pixKey }, signal));
  } catch (cause) {
    if (isStatus(cause, 400, 404)) throw serviceError('INVALID_PIX_KEY', {}, { cause: withoutBody(cause) });
    const upstreamStatus = serverErrorOf(cause);
    const details = upstreamStatus === undefined ? {} : { details: { upstreamStatus } };
    throw serviceError('PIX_KEY_LOOKUP_FAILED', {}, { cause: withoutBody(cause), ...details });
  }
}
