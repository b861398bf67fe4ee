import { isServiceError } from '../../../errors/service-error';
import type { SwapCall, UnsignedCall } from '../../../venues/quote-provider';
import { assertCallFits, misfit } from './assert-call-matches-quote';
import { notBuilt } from '../build-with-provider';
import { callsOutput } from './build-calls-output';
import type { ExecutableCalls, ExecutableDeps, ExecutableParameters } from '../executable';
import { readFunds } from './read-funds';
import { swapEffectFlaw, watchedBalances } from './swap-effects';
import { tagCall } from './tag-call';
import { type TriedSwap, trySwap } from './simulate-swap';

type Parameters = ExecutableParameters & { readonly call: SwapCall };

/** Failures that are told as they are. */
const TOLD_AS_THEY_ARE: readonly string[] = [
  'BYTECODE_GENERATION_FAILED',
  'FEE_SPONSORSHIP_NOT_ALLOWED',
  'VALIDATION_ERROR',
];

/**
 * The call of a provider with the approvals that its sender still lacks, checked against what was quoted: by its form,
 * and where it can be tried by what it does.
 *
 * @throws BYTECODE_GENERATION_FAILED; VALIDATION_ERROR and FEE_SPONSORSHIP_NOT_ALLOWED when it cannot be made as what was
 * asked for
 */
export async function executableCalls(deps: ExecutableDeps, parameters: Parameters): Promise<ExecutableCalls> {
  const { request, offer, sender, actionId } = parameters;
  assertCallFits(parameters.call, { request, offer, sender });
  const call = tagCall(parameters.call, actionId);
  try {
    const tried = await attempt(deps, { ...parameters, call });
    const order = { ...parameters, chain: request.origin };
    return await callsOutput(deps, order, { ...tried, swap: unsigned(call) });
  } catch (cause) {
    if (!isServiceError(cause) || TOLD_AS_THEY_ARE.includes(cause.code)) throw cause;
    throw notBuilt(cause);
  }
}

async function attempt(deps: ExecutableDeps, parameters: Parameters): Promise<TriedSwap> {
  const { call, request, offer, sender, recipient, signal } = parameters;
  const { spender } = call;
  const amount = offer.maxAmountIn;
  const { allowance, shortage } = await readFunds(deps.rpc, { call, request, offer, signal });
  const approval =
    spender !== undefined && allowance < amount
      ? { chainId: request.origin.chainId, owner: sender, token: request.tokenIn.address, spender, amount }
      : undefined;
  const bounds = { call, request, offer, recipient };
  const trial = { swap: unsigned(call), approval, hasAllowance: allowance > 0n, shortage, signal };
  const tried = await trySwap(deps.rpc, { ...trial, watched: watchedBalances(bounds) });
  const flaw = tried.effects === undefined ? undefined : swapEffectFlaw(tried.effects, bounds);
  if (flaw !== undefined) throw misfit(offer, flaw);
  return tried;
}

const unsigned = ({ chainId, from, to, data, value }: SwapCall): UnsignedCall => ({ chainId, from, to, data, value });
