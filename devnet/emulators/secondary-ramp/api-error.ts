import type { EmulatorResponse, EmulatorHandler } from '../http-emulator';

/** A refusal with the ramp's code and message. */
export class ApiError extends Error {
  override readonly name = 'ApiError';

  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

export const withApiErrors =
  (handler: EmulatorHandler): EmulatorHandler =>
  async (request): Promise<EmulatorResponse> => {
    try {
      return await handler(request);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return { status: error.status, body: { code: error.code, message: error.message } };
    }
  };
