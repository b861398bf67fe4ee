import type { Logger } from 'pino';
import type { EIP1193RequestOptions, Transport } from 'viem';
import { createSingleFlight } from '../async/single-flight';
import { isServiceError, serviceError } from '../errors/service-error';

export interface CheckedChain {
  readonly slug: string;
  readonly chainId: number;
  readonly log: Pick<Logger, 'warn'>;
}

/** The node of a chain serves another chain. The message names the setting. */
class WrongChainError extends Error {
  override readonly name = 'WrongChainError';
}

/** Time after which a node of another chain is requested for its chain id again. */
const RECHECK_MS = 1000;

/** A number below 2^52 in hexadecimal. */
const CHAIN_ID = /^0x[0-9a-f]{1,13}$/i;

interface RpcCall {
  readonly method: string;
  readonly params?: unknown;
}
type Request = (args: RpcCall, options?: EIP1193RequestOptions) => Promise<unknown>;

/**
 * Sends requests only to a node that has reported the id of its chain: before the first one, and again after each outage,
 * when another node may respond. A node of another chain is PROVIDER_UNAVAILABLE. A node that reports no id is trusted.
 */
export function withChainIdCheck(transport: Transport, chain: CheckedChain): Transport {
  return (options) => {
    const inner = transport(options);
    const request = checked(inner.request, chain);
    return { ...inner, request: request as typeof inner.request };
  };
}

function checked(request: Request, chain: CheckedChain): Request {
  const flight = createSingleFlight<undefined>();
  let isConfirmed = false;
  let wrong: { readonly error: WrongChainError; readonly at: number } | undefined;
  const confirm = async (signal: AbortSignal): Promise<undefined> => {
    const found = await reportedId(request, signal);
    isConfirmed = found === undefined || found === chain.chainId;
    const error = isConfirmed ? undefined : new WrongChainError(wrongChain(chain, found));
    if (error !== undefined && error.message !== wrong?.error.message)
      chain.log.warn({ chain: chain.slug }, error.message);
    wrong = error && { error, at: performance.now() };
  };
  return async (args, options) => {
    const isRecent = wrong !== undefined && performance.now() - wrong.at < RECHECK_MS;
    if (!isConfirmed && !isRecent) await flight.join('', confirm, options?.signal);
    if (wrong !== undefined) throw refused(chain, wrong.error);
    try {
      return await request(args, options);
    } catch (error) {
      if (isServiceError(error)) isConfirmed = false;
      throw error;
    }
  };
}

/** `undefined` when the node reports none. @throws PROVIDER_UNAVAILABLE */
async function reportedId(request: Request, signal: AbortSignal): Promise<number | undefined> {
  try {
    const id = await request({ method: 'eth_chainId', params: [] }, { signal });
    return typeof id === 'string' && CHAIN_ID.test(id) ? Number.parseInt(id, 16) : undefined;
  } catch (error) {
    if (isServiceError(error)) throw error;
    return undefined; // the node refuses this method
  }
}

const wrongChain = ({ slug, chainId }: CheckedChain, found: number | undefined): string =>
  `RPC_URL_${slug.toUpperCase().replaceAll('-', '_')} leads to a node of chain ${String(found)} instead of ` +
  `${String(chainId)} (${slug}). The chain is not served until this is corrected`;

const refused = ({ slug }: CheckedChain, cause: WrongChainError) =>
  serviceError('PROVIDER_UNAVAILABLE', { provider: `${slug} RPC`, reason: 'it serves another chain' }, { cause });

/** The sentence for the operator when a chain is refused because its node serves another one. */
export function wrongChainReason(error: unknown): string | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof WrongChainError) return cause.message;
  }
  return undefined;
}
