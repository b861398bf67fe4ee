import { isServiceError } from './service-error';

/** Describes an error for the log, without the URLs in messages of the RPC client, which may contain keys. */
export function describeFailure(error: unknown): { readonly name: string; readonly message: string } {
  if (isServiceError(error)) return { name: error.code, message: error.message };
  const [name, message] = error instanceof Error ? [error.name, error.message] : ['unknown', typeof error];
  return { name, message: message.replace(/\b[a-z]+:\/\/\S+/gi, '[url]').slice(0, 500) };
}

/** True when the chain did not respond, in contrast to a failure that concerns one transaction only. */
export function isUnavailable(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) if (isServiceError(cause)) return true;
  return false;
}
