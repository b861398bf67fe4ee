import { BaseError, HttpRequestError, ResponseBodyTooLargeError, RpcRequestError } from 'viem';
import { isServiceError, serviceError, type ServiceError } from '../errors/service-error';

/** Error codes of nodes that limit the request rate. The chain counts as unavailable. */
const LIMIT_CODES: ReadonlySet<number> = new Set([429, -32005, -32007, -32029, -32097]);
const UNKNOWN_METHOD_CODES: ReadonlySet<number> = new Set([-32601, -32004]);
/** `MemoryOOG` and the like are names of revm. */
const EXECUTION_MESSAGE =
  /revert|out\s?of\s?gas|OOG\b|gas limit|gas cap|gas required|invalid opcode|stack (?:over|under)flow/i;

/** The JSON-RPC error of a node's response, at any depth of viem's error chain. */
export function nodeErrorOf(error: unknown): { code: number; message: string; data: unknown } | undefined {
  if (!(error instanceof BaseError)) return undefined;
  const found = error.walk((cause) => cause instanceof RpcRequestError);
  return found instanceof RpcRequestError ? { code: found.code, message: found.details, data: found.data } : undefined;
}

/** Messages of nodes about a response that exceeds their own limit. */
const TOO_LARGE_MESSAGE =
  /response (?:is |was |size |body )*(?:too (?:large|big|long)|exceed)|exceed\w* (?:the )?(?:max\w* )?(?:response|result)|query returned more than|too many results|block range|range (?:is )?too (?:large|wide)/i;

/** True when a request for less may succeed: the response exceeds the limit of this service, the node or its proxy. */
export function isTooLarge(error: unknown): boolean {
  if (!(error instanceof BaseError)) return false;
  if (error.walk((cause) => cause instanceof ResponseBodyTooLargeError) !== null) return true;
  const http = error.walk((cause) => cause instanceof HttpRequestError);
  if (http instanceof HttpRequestError && http.status === 413) return true;
  const nodeError = nodeErrorOf(error);
  return nodeError !== undefined && TOO_LARGE_MESSAGE.test(nodeError.message);
}

/** True when the node limits the rate of requests: more requests instead of a failed one make it worse. */
export function isRateLimited(error: unknown): boolean {
  if (isTooLarge(error)) return false;
  const nodeError = nodeErrorOf(error);
  if (nodeError !== undefined) return LIMIT_CODES.has(nodeError.code);
  const http = error instanceof BaseError ? error.walk((cause) => cause instanceof HttpRequestError) : undefined;
  if (http instanceof HttpRequestError) return http.status === 429;
  return causesOf(error).some((cause) => isServiceError(cause) && isLimit(cause.cause));
}

const isLimit = (cause: unknown): boolean =>
  typeof cause === 'object' && cause !== null && 'isRateLimited' in cause && cause.isRateLimited === true;

/** True when the response took too long: one to a request for less may not. */
export const isTimeout = (error: unknown): boolean =>
  isNamed(error, 'TimeoutError') || causesOf(error).some((cause) => isServiceError(cause) && isTimedOut(cause.cause));

const isTimedOut = (cause: unknown): boolean =>
  typeof cause === 'object' && cause !== null && 'isTimeout' in cause && cause.isTimeout === true;

/** True when the node executed the call, and the contract reverted, ran out of gas or returned too much data. */
export function isExecutionFailure(error: unknown): boolean {
  if (error instanceof BaseError && error.walk((cause) => cause instanceof ResponseBodyTooLargeError) !== null) {
    return true;
  }
  const nodeError = nodeErrorOf(error);
  return nodeError !== undefined && (nodeError.code === 3 || EXECUTION_MESSAGE.test(nodeError.message));
}

/** Messages of nodes that keep only recent states. */
const STATE_MISSING_MESSAGE =
  /missing trie node|prun(?:ed|ing)|\barchiv|proof window|no state (?:available|found)|(?:state|history|data)\b.{0,100}?\b(?:not available|unavailable|not found|missing)|(?:find|load|get) (?:the )?(?:world )?state/i;

/** The message of Anvil for a block after the newest one, and for one whose state it no longer keeps. */
const OUT_OF_RANGE_MESSAGE = /block height is (\d+) but requested was (\d+)/i;

function isPastBlock(message: string): boolean {
  const [, height, requested] = OUT_OF_RANGE_MESSAGE.exec(message) ?? [];
  return height !== undefined && requested !== undefined && BigInt(requested) <= BigInt(height);
}

/** True when the node has the block, and lacks its state: the same request fails there for good. */
export function isStateMissing(error: unknown): boolean {
  const nodeError = nodeErrorOf(error);
  if (nodeError === undefined || isRateLimited(error)) return false;
  return STATE_MISSING_MESSAGE.test(nodeError.message) || isPastBlock(nodeError.message);
}

/** True when the chain is unavailable, as opposed to an error response that the caller may handle. */
export function isTransportFailure(error: unknown): boolean {
  const nodeError = nodeErrorOf(error);
  return nodeError === undefined ? !isExecutionFailure(error) : LIMIT_CODES.has(nodeError.code);
}

function reasonOf(error: unknown): string {
  if (isNamed(error, 'TimeoutError')) return 'it did not respond in time';
  if (isNamed(error, 'AbortError')) return 'it did not respond before the request was cancelled';
  const nodeError = nodeErrorOf(error);
  if (nodeError !== undefined) return refusal(nodeError.code);
  const http = error instanceof BaseError ? error.walk((cause) => cause instanceof HttpRequestError) : undefined;
  if (!(http instanceof HttpRequestError) || isNamed(error, 'SyntaxError')) return 'its response could not be read';
  return http.status === undefined ? 'the connection failed' : `it responded with HTTP ${http.status}`;
}

function refusal(code: number): string {
  if (LIMIT_CODES.has(code)) return 'it limits the rate of requests';
  return UNKNOWN_METHOD_CODES.has(code) ? 'it does not support this call' : 'it rejected the call';
}

/** Searches the chain of causes: `fetch` nests the signal's reason one level deeper. */
const isNamed = (error: unknown, name: string): boolean => causesOf(error).some((cause) => cause.name === name);

function causesOf(error: unknown): readonly Error[] {
  const causes: Error[] = [];
  for (let cause = error; cause instanceof Error; cause = cause.cause) causes.push(cause);
  return causes;
}

/** The failure for the log, without RPC URLs: they contain credentials, and viem includes them in messages. */
function withoutUrl(error: unknown): { name: string; message: string } {
  if (error instanceof BaseError) return { name: error.name, message: strip(`${error.shortMessage} ${error.details}`) };
  return error instanceof Error
    ? { name: error.name, message: strip(error.message) }
    : { name: 'unknown', message: typeof error };
}

const strip = (text: string): string => text.replace(/\b(?:https?|wss?):\/\/\S+/gi, '[url]').slice(0, 500);

/** PROVIDER_UNAVAILABLE for an unavailable chain. Service errors are returned unchanged. */
export function rpcFailure(slug: string, error: unknown): ServiceError {
  const existing = causesOf(error).find(isServiceError);
  if (existing !== undefined) return existing;
  return serviceError(
    'PROVIDER_UNAVAILABLE',
    { provider: `${slug} RPC`, reason: reasonOf(error) },
    {
      cause: Object.assign(withoutUrl(error), {
        isRateLimited: isRateLimited(error),
        isTimeout: isNamed(error, 'TimeoutError'),
      }),
    },
  );
}
