import { BaseError, HttpRequestError, ResponseBodyTooLargeError, RpcRequestError } from 'viem';
import { isServiceError, serviceError, type ServiceError } from '../errors/service-error';

/** Codes by which nodes say "too many requests": the chain could not be asked. */
const LIMIT_CODES: ReadonlySet<number> = new Set([429, -32005, -32007, -32029, -32097]);
const UNKNOWN_METHOD_CODES: ReadonlySet<number> = new Set([-32601, -32004]);
const EXECUTION_MESSAGE =
  /revert|out\s?of\s?gas|gas limit|gas cap|gas required|invalid opcode|stack (?:over|under)flow/i;

/** The JSON-RPC error that a node answered with, wherever viem wrapped it. */
export function nodeErrorOf(error: unknown): { code: number; message: string; data: unknown } | undefined {
  if (!(error instanceof BaseError)) return undefined;
  const found = error.walk((cause) => cause instanceof RpcRequestError);
  return found instanceof RpcRequestError ? { code: found.code, message: found.details, data: found.data } : undefined;
}

/** True when the node did run the call, and the contract failed, ran out of gas or returned too much. */
export function isExecutionFailure(error: unknown): boolean {
  if (error instanceof BaseError && error.walk((cause) => cause instanceof ResponseBodyTooLargeError) !== null) {
    return true;
  }
  const answer = nodeErrorOf(error);
  return answer !== undefined && (answer.code === 3 || EXECUTION_MESSAGE.test(answer.message));
}

/** True when the chain itself could not be asked, as opposed to an answer that the caller may want to read. */
export function isTransportFailure(error: unknown): boolean {
  const answer = nodeErrorOf(error);
  return answer === undefined ? !isExecutionFailure(error) : LIMIT_CODES.has(answer.code);
}

function reasonOf(error: unknown): string {
  if (isNamed(error, 'TimeoutError')) return 'it did not respond in time';
  if (isNamed(error, 'AbortError')) return 'it did not respond before the request was cancelled';
  const answer = nodeErrorOf(error);
  if (answer !== undefined) return refusal(answer.code);
  const http = error instanceof BaseError ? error.walk((cause) => cause instanceof HttpRequestError) : undefined;
  if (!(http instanceof HttpRequestError) || isNamed(error, 'SyntaxError')) return 'its response could not be read';
  return http.status === undefined ? 'the connection failed' : `it responded with HTTP ${http.status}`;
}

function refusal(code: number): string {
  if (LIMIT_CODES.has(code)) return 'it limits the rate of requests';
  return UNKNOWN_METHOD_CODES.has(code) ? 'it does not support this call' : 'it rejected the call';
}

/** Names along the chain of causes: `fetch` hides the signal's reason one level down. */
const isNamed = (error: unknown, name: string): boolean => causesOf(error).some((cause) => cause.name === name);

function causesOf(error: unknown): readonly Error[] {
  const causes: Error[] = [];
  for (let cause = error; cause instanceof Error; cause = cause.cause) causes.push(cause);
  return causes;
}

/**
 * What went wrong, for the log. RPC URLs carry credentials, and viem writes them into messages: only the parts
 * without them are kept.
 */
function withoutUrl(error: unknown): { name: string; message: string } {
  if (error instanceof BaseError) return { name: error.name, message: strip(`${error.shortMessage} ${error.details}`) };
  return error instanceof Error
    ? { name: error.name, message: strip(error.message) }
    : { name: 'unknown', message: typeof error };
}

const strip = (text: string): string => text.replace(/\b(?:https?|wss?):\/\/\S+/gi, '[url]').slice(0, 500);

/** PROVIDER_UNAVAILABLE for a chain that could not be asked. A service error passes as it is. */
export function rpcFailure(slug: string, error: unknown): ServiceError {
  const known = causesOf(error).find(isServiceError);
  if (known !== undefined) return known;
  return serviceError(
    'PROVIDER_UNAVAILABLE',
    { provider: `${slug} RPC`, reason: reasonOf(error) },
    { cause: withoutUrl(error) },
  );
}
