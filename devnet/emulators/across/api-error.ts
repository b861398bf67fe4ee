import { DevnetError } from '../../devnet-error';
import type { EmulatorResponse, EmulatorHandler } from '../http-emulator';

/** Codes of Across' API with their status. */
const STATUS = {
  INVALID_PARAM: 400,
  AMOUNT_TOO_LOW: 400,
  AMOUNT_TOO_HIGH: 400,
  ROUTE_NOT_ENABLED: 400,
  SWAP_TYPE_NOT_GUARANTEED: 400,
  UNEXPECTED_ERROR: 500,
} as const;

type AcrossErrorCode = keyof typeof STATUS;

/** A refusal, as the API words it. */
export class AcrossApiError extends DevnetError {
  constructor(
    readonly code: AcrossErrorCode,
    message: string,
    readonly param: string | undefined,
  ) {
    super(message);
  }
}

export const acrossApiError = (code: AcrossErrorCode, message: string, param?: string): AcrossApiError =>
  new AcrossApiError(code, message, param);

export const invalidParam = (param: string, message: string): AcrossApiError =>
  acrossApiError('INVALID_PARAM', message, param);

/** Turns what a handler throws into the API's error body. */
export function withApiErrors(handler: EmulatorHandler): EmulatorHandler {
  return async (request) => {
    try {
      return await handler(request);
    } catch (error) {
      return bodyOf(error instanceof AcrossApiError ? error : acrossApiError('UNEXPECTED_ERROR', String(error)));
    }
  };
}

function bodyOf({ code, message, param }: AcrossApiError): EmulatorResponse {
  const status = STATUS[code];
  return { status, body: { type: 'AcrossApiError', code, status, message, ...(param === undefined ? {} : { param }) } };
}
