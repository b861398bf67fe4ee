import { isSameAddress } from '../../../chains/addresses';
import { isServiceError } from '../../../errors/service-error';
import type { SwapCall, UnsignedCall } from '../../../venues/quote-provider';
import { assertCallMatchesQuote, callMismatchError } from './assert-call-matches-quote';
import { providerBuildError } from '../build-with-provider';
import { buildCallsOutput } from './build-calls-output';
import type { ExecutableCalls, ExecutableDeps, ExecutableParameters } from '../executable';
import { readFunds } from './read-funds';
import { swapEffectProblem, watchedBalances } from './swap-effects';
import { tagCall } from './tag-call';
import { type SwapSimulation, simulateSwap } from './simulate-swap';

type Parameters = ExecutableParameters & { readonly call: SwapCall };

/**
 * The call of a provider with the approvals that its sender lacks, checked against the quote: by its form, and by the
 * effects of a simulation where the node supports it.
 *
 * @throws BYTECODE_GENERATION_FAILED; the errors of `buildCallsOutput`
 */
export async function buildCalls(deps: ExecutableDeps, parameters: Parameters): Promise<ExecutableCalls> {
  const { request, offer, sender, actionId } = parameters;
  assertCallMatchesQuote(parameters.call, { request, offer, sender });
  const call = tagCall(parameters.call, actionId);
  const simulated = await simulateAndCheck(deps, { ...parameters, call }).catch((cause: unknown) => {
    throw isServiceError(cause) && cause.code !== 'BYTECODE_GENERATION_FAILED' ? providerBuildError(cause) : cause;
  });
  const output = { ...parameters, chain: request.origin };
  const executable = await buildCallsOutput(deps, output, { ...simulated, swap: unsigned(call) });
  return { ...executable, spender: call.spender };
}

async function simulateAndCheck(deps: ExecutableDeps, parameters: Parameters): Promise<SwapSimulation> {
  const { call, request, offer, sender, recipient, signal } = parameters;
  const { spender } = call;
  const amount = offer.maxAmountIn;
  const { allowance, shortage } = await readFunds(deps.rpc, { call, request, offer, signal });
  const approval =
    spender !== undefined && allowance < amount
      ? { chainId: request.origin.chainId, owner: sender, token: request.tokenIn.address, spender, amount }
      : undefined;
  const bounds = { call, request, offer, recipient };
  const swap = { swap: unsigned(call), approval, hasAllowance: allowance > 0n, shortage, signal };
  const simulated = await simulateSwap(deps.rpc, {
    ...swap,
    callsWrappedNative: isSameAddress(call.to, request.origin.wrappedNative),
    watched: watchedBalances(bounds),
  });
  const problem = simulated.effects === undefined ? undefined : swapEffectProblem(simulated.effects, bounds);
  if (problem !== undefined) throw callMismatchError(offer, problem);
  return simulated;
}

const unsigned = ({ chainId, from, to, data, value }: SwapCall): UnsignedCall => ({ chainId, from, to, data, value });
