import type { EmulatorResponse, EmulatorHandler } from '../http-emulator';

/** A refusal in the format of the API, which has no codes. */
export class ApiError extends Error {
  override readonly name = 'ApiError';

  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

export const invalidField = (field: string): ApiError => new ApiError(400, `InvalidFieldError: ${field} is invalid`);

/** Responds to refusals in the format of the API. */
export const withApiErrors =
  (handler: EmulatorHandler): EmulatorHandler =>
  async (request): Promise<EmulatorResponse> => {
    try {
      return await handler(request);
    } catch (error) {
      if (error instanceof ApiError) return { status: error.status, body: { error: error.message } };
      throw error;
    }
  };
