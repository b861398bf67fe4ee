import { isServiceError } from './service-error';

/** A failure for the log. */
interface FailureDescription {
  readonly name: string;
  readonly message: string;
  /** Error code of the third party, when its response had one. */
  readonly upstreamCode?: string;
}

/** Describes an error for the log, without the URLs in messages of the RPC client, which may contain keys. */
export function describeFailure(error: unknown): FailureDescription {
  const upstreamCode = upstreamCodeOf(error);
  const code = upstreamCode === undefined ? {} : { upstreamCode };
  if (isServiceError(error)) return { name: error.code, message: error.message, ...code };
  const [name, message] = error instanceof Error ? [error.name, error.message] : ['unknown', typeof error];
  return { name, message: message.replace(/\b[a-z]+:\/\/\S+/gi, '[url]').slice(0, 500), ...code };
}

function upstreamCodeOf(error: unknown): string | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { upstreamCode } = cause as { readonly upstreamCode?: unknown };
    if (typeof upstreamCode === 'string') return upstreamCode;
  }
  return undefined;
}
