import { serviceError, type ServiceError } from '../errors/service-error';

interface UpstreamFailure {
  /** `status`: an answer that is not 2xx. `unreachable`: no answer, or not all of it. `unreadable`: not what was agreed. */
  readonly kind: 'status' | 'timeout' | 'unreachable' | 'unreadable';
  readonly status?: number | undefined;
  /** Body of an answer that is not 2xx: parsed when it is JSON, else text. From outside: parse before use. */
  readonly body?: unknown;
  /** What `Retry-After` said. */
  readonly retryAfterSeconds?: number | undefined;
  readonly cause?: unknown;
}

/** A third party did not answer as it should. Adapters turn it into a code of the catalog; it reaches no caller. */
export class UpstreamError extends Error implements UpstreamFailure {
  override readonly name = 'UpstreamError';
  readonly kind: UpstreamFailure['kind'];
  readonly status: number | undefined;
  readonly retryAfterSeconds: number | undefined;
  /** What a third party says may be personal, and errors are logged with all their properties: this is none of them. */
  readonly #body: unknown;

  constructor(message: string, failure: UpstreamFailure) {
    super(message, { cause: failure.cause });
    this.kind = failure.kind;
    this.status = failure.status;
    this.#body = failure.body;
    this.retryAfterSeconds = failure.retryAfterSeconds;
  }

  get body(): unknown {
    return this.#body;
  }
}

/** What a third party did, wherever it is in the chain of causes; `undefined` when none did anything. */
export function upstreamErrorOf(error: unknown): UpstreamError | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) if (cause instanceof UpstreamError) return cause;
  return undefined;
}

/** PROVIDER_UNAVAILABLE for whatever went wrong while a provider was asked; what it said itself stays in the cause. */
export function providerUnavailable(provider: string, cause: unknown): ServiceError {
  const reason = cause instanceof UpstreamError ? cause.message : 'it failed';
  return serviceError('PROVIDER_UNAVAILABLE', { provider, reason }, { cause });
}
