import { serviceError, type ServiceError } from '../errors/service-error';

interface UpstreamFailure {
  /** `status`: a response other than 2xx. `unreachable`: no complete response. `unreadable`: an unexpected response. */
  readonly kind: 'status' | 'timeout' | 'unreachable' | 'unreadable';
  /** True when the request was a GET: it changes nothing at the third party, not even when it arrives late. */
  readonly isRead?: boolean | undefined;
  readonly status?: number | undefined;
  /** Body of a response other than 2xx: parsed JSON, or text. Untrusted: parse before use. */
  readonly body?: unknown;
  /** Value of `Retry-After`. */
  readonly retryAfterSeconds?: number | undefined;
  /** Error code of the third party, for the log. Default: the one in the body. */
  readonly upstreamCode?: string | undefined;
  readonly cause?: unknown;
}

/** A failed or unexpected response of a third party. Adapters translate it to a code of the catalog; no caller receives it. */
export class UpstreamError extends Error implements UpstreamFailure {
  override readonly name = 'UpstreamError';
  readonly kind: UpstreamFailure['kind'];
  readonly isRead: boolean;
  readonly status: number | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly upstreamCode: string | undefined;
  /** Private, because errors are logged with all their properties and a response may contain personal data. */
  readonly #body: unknown;

  constructor(message: string, failure: UpstreamFailure) {
    super(message, { cause: failure.cause });
    this.kind = failure.kind;
    this.isRead = failure.isRead ?? false;
    this.status = failure.status;
    this.#body = failure.body;
    this.retryAfterSeconds = failure.retryAfterSeconds;
    this.upstreamCode = failure.upstreamCode ?? codeIn(failure.body);
  }

  get body(): unknown {
    return this.#body;
  }
}

const CODE_NAMES = ['code', 'errorCode', 'error_code', 'error', 'type'];
/** Words with few digits, as codes are. Sentences, names, numbers, ids and addresses may be personal data. */
const CODE = /^(?!(?:\D*\d){6})[A-Za-z][A-Za-z0-9_.-]{1,63}$/;

/** The error code in a response body, at the top level or inside `error`, `data` or the first of `errors`. */
function codeIn(body: unknown): string | undefined {
  const { error, data, errors } = fieldsOf(body);
  const [first] = Array.isArray(errors) ? (errors as readonly unknown[]) : [];
  return [body, error, data, first].map(ownCode).find((code) => code !== undefined);
}

function ownCode(part: unknown): string | undefined {
  const fields = fieldsOf(part);
  return CODE_NAMES.map((name) => fields[name]).find((value) => typeof value === 'string' && CODE.test(value)) as
    string | undefined;
}

const fieldsOf = (part: unknown): Readonly<Record<string, unknown>> =>
  typeof part === 'object' && part !== null ? (part as Readonly<Record<string, unknown>>) : {};

/** The first UpstreamError in the chain of causes; `undefined` without one. */
export function upstreamErrorOf(error: unknown): UpstreamError | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) if (cause instanceof UpstreamError) return cause;
  return undefined;
}

/** PROVIDER_UNAVAILABLE for a failed request to a provider; its own response stays in the cause. */
export function providerUnavailable(provider: string, cause: unknown): ServiceError {
  const reason = cause instanceof UpstreamError ? cause.message : 'it failed';
  return serviceError('PROVIDER_UNAVAILABLE', { provider, reason }, { cause });
}
