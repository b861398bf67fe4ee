import type { CustomerId } from '../../auth/principal';
import { isSameAddress } from '../../chains/addresses';
import { isServiceError, serviceError } from '../../errors/service-error';
import { validationError } from '../../errors/validation';
import { invariant } from '../../errors/invariant-error';
import { type PricedSwap, quoteSwap } from '../../quotes/quote-swap';
import type { SimulationView } from '../../quotes/quote-view';
import type { Token } from '../../tokens/token';
import { buildExecutable } from '../../transactions/execution/build-executable';
import { withoutCode } from '../../transactions/execution/calls/simulate-swap';
import { readingChain } from './lending-failure';
import type { OperationDeps } from './operation-deps';
import type { OperationPart } from './operation-part';
import type { TokenOnChain } from './operation-request';

export interface SwapLegRequest {
  readonly customerId: CustomerId;
  readonly actionId: string;
  readonly chainIdIn: number;
  readonly chainIdOut: number;
  /** Addresses of the tokens: the native coin in the form that the caller used, which the quote shows. */
  readonly tokenIn: string;
  readonly tokenOut: string;
  /** Exact amount sold, in base units. */
  readonly amountIn: bigint;
  readonly slippage: string | undefined;
  readonly wallet: string;
  readonly recipient: string;
  readonly signal: AbortSignal;
}

/** A quoted swap, or transfer to another chain, as a part of an operation. */
export interface SwapLeg {
  readonly swap: PricedSwap;
  readonly part: OperationPart;
  /** Result of its call alone, before the other parts. */
  readonly simulation: SimulationView;
  /** Gas units; `undefined` when the call alone does not succeed. */
  readonly gasLimit: bigint | undefined;
  /** Why the wallet cannot pay now; `undefined` when it can. */
  readonly shortage: string | undefined;
  /** State that the simulation of the call needs. */
  readonly stateOverrides: ReturnType<typeof withoutCode> | undefined;
}

/**
 * Quotes a swap within one chain or between two, and builds its call.
 *
 * @throws what `quoteSwap` and `buildExecutable` throw
 */
export async function buildSwapLeg(deps: OperationDeps, request: SwapLegRequest): Promise<SwapLeg> {
  const { customerId, actionId, chainIdIn, chainIdOut, wallet, recipient, signal } = request;
  const fields = {
    originChain: chainIdIn.toString(),
    destinationChain: chainIdOut.toString(),
    tokenIn: request.tokenIn,
    tokenOut: request.tokenOut,
    amountIn: request.amountIn.toString(),
    slippage: request.slippage,
    originAddress: wallet,
    destinationAddress: recipient,
  };
  const swap = await quoteSwap(deps, { customerId, fields });
  const executable = await buildExecutable(deps, {
    customerId,
    quoteId: swap.quoteId,
    actionId,
    request: swap.request,
    offer: swap.offer,
    deadline: swap.deadline,
    sender: wallet,
    recipient,
    output: 'bytecode',
    accountId: undefined,
    sponsored: false,
    signal,
  });
  invariant(executable.kind === 'calls', `the swap on the chain ${String(chainIdIn)} is not a call`);
  const { approvals, swap: call, spender, simulation, gasLimit } = executable;
  const { origin, tokenIn: sold } = swap.request;
  return {
    swap,
    part: {
      kind: chainIdIn === chainIdOut ? 'SWAP' : 'BRIDGE',
      protocol: swap.offer.provider,
      approvals,
      call,
      access: { token: sold.address, spender },
    },
    simulation,
    gasLimit,
    shortage: simulation.status === 'INSUFFICIENT_BALANCE' ? simulation.reason : undefined,
    stateOverrides: isSameAddress(call.to, origin.wrappedNative) ? withoutCode(wallet) : undefined,
  };
}

/** The token that is sold before a deposit. @throws FROM_TOKEN_NOT_SUPPORTED when its address has no token */
export async function findSoldToken(deps: Pick<OperationDeps, 'tokens'>, from: TokenOnChain): Promise<Token> {
  const token = await readingChain(deps.tokens.find(from.chain, from.token.address));
  if (token === undefined) throw fromTokenError(from);
  return token;
}

/** The token that is bought after a withdrawal. @throws VALIDATION_ERROR when its address has no token */
export async function findBoughtToken(deps: Pick<OperationDeps, 'tokens'>, to: TokenOnChain): Promise<Token> {
  const token = await readingChain(deps.tokens.find(to.chain, to.token.address));
  if (token !== undefined) return token;
  throw validationError([{ path: 'toTokenAddress', message: 'is not a token of its chain' }]);
}

/** The swap before a deposit. @throws FROM_TOKEN_NOT_SUPPORTED without a route; what `buildSwapLeg` throws */
export async function buildSwapBefore(
  deps: OperationDeps,
  from: TokenOnChain,
  request: SwapLegRequest,
): Promise<SwapLeg> {
  try {
    return await buildSwapLeg(deps, request);
  } catch (cause) {
    throw isServiceError(cause) && cause.code === 'NO_ROUTE_FOUND' ? fromTokenError(from, cause) : cause;
  }
}

const fromTokenError = ({ chain, token }: TokenOnChain, cause?: unknown) =>
  serviceError('FROM_TOKEN_NOT_SUPPORTED', { token: token.requestedAddress, chain: chain.slug }, { cause });
