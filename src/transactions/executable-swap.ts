import { isServiceError, serviceError } from '../errors/service-error';
import type { ProviderQuote, QuoteProvider, QuoteRequest, SwapCall, UnsignedCall } from '../quotes/quote-provider';
import type { Rpc } from '../rpc/rpc';
import { assertCallFits } from './assert-call-fits';
import { readFunds } from './read-funds';
import { type TriedSwap, trySwap } from './try-swap';

export interface ExecutableDeps {
  readonly providers: readonly QuoteProvider[];
  readonly rpc: Pick<Rpc, 'multicall' | 'simulate'>;
}

export interface ExecutableParameters {
  readonly request: QuoteRequest;
  readonly offer: ProviderQuote;
  readonly sender: string;
  readonly recipient: string;
  /** When the quote ends: the transaction reverts afterwards. */
  readonly deadline: Date;
  readonly signal: AbortSignal;
}

/** The calls that execute a quote, in sending order: `approvals`, then `swap`. */
export interface ExecutableSwap extends TriedSwap {
  readonly swap: UnsignedCall;
}

/**
 * Builds the transaction of a quote, with the approvals that its sender still lacks, and tries all of them together on
 * the newest block. That they would revert is told by `simulation`, not thrown.
 *
 * @throws BYTECODE_GENERATION_FAILED when they cannot be built
 */
export async function executableSwap(deps: ExecutableDeps, parameters: ExecutableParameters): Promise<ExecutableSwap> {
  try {
    return await build(deps, parameters);
  } catch (cause) {
    if (!isServiceError(cause) || cause.code === 'BYTECODE_GENERATION_FAILED') throw cause;
    throw serviceError('BYTECODE_GENERATION_FAILED', { reason: cause.message }, { cause });
  }
}

async function build(deps: ExecutableDeps, parameters: ExecutableParameters): Promise<ExecutableSwap> {
  const { request, offer, sender, signal } = parameters;
  const call = await buildCall(deps, parameters);
  const amount = offer.maxAmountIn;
  const { allowance, shortage } = await readFunds(deps.rpc, { call, request, amount, signal });
  const { spender, ...swap } = call;
  const lacksAllowance = spender !== undefined && allowance < amount;
  const approval = lacksAllowance
    ? { chainId: request.origin.chainId, owner: sender, token: request.tokenIn.address, spender, amount }
    : undefined;
  const tried = await trySwap(deps.rpc, { swap, approval, hasAllowance: allowance > 0n, shortage, signal });
  return { ...tried, swap };
}

async function buildCall(deps: ExecutableDeps, parameters: ExecutableParameters): Promise<SwapCall> {
  const { request, offer, sender, recipient, deadline, signal } = parameters;
  const provider = deps.providers.find(({ id }) => id === offer.provider);
  if (provider === undefined) {
    const reason = `the provider ${offer.provider} is no longer registered`;
    throw serviceError('BYTECODE_GENERATION_FAILED', { reason });
  }
  const seconds = Math.floor(deadline.getTime() / 1000);
  const call = await provider.build({ request, quote: offer, sender, recipient, deadline: seconds }, signal);
  if (call.kind !== 'call') {
    throw serviceError('BYTECODE_GENERATION_FAILED', { reason: `${offer.provider} built no call` });
  }
  assertCallFits(call, { request, offer, sender });
  return call;
}
