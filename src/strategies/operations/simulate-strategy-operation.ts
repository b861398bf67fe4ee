import type { ContractRead } from '../../rpc/contract-read';
import type { SimulatedCall } from '../../rpc/simulate';
import type { Rpc } from '../../rpc/rpc';
import {
  type CallEffects,
  type EffectsRequest,
  simulateEffects,
} from '../../transactions/execution/calls/simulate-effects';
import { intrusionProblem } from '../../transactions/execution/calls/swap-effects';
import { withGasMargin } from '../../transactions/execution/calls/simulate-swap';
import { formatBaseUnits } from '../../money/base-units';
import type { SimulationView } from '../../quotes/quote-view';
import type { Token } from '../../tokens/token';
import { FEE_PROTOCOL } from '../../transactions/action-plan';
import type { Protocol } from '../protocols/protocol';
import { isUnfit, refusedRecipient } from '../router/router-reverts';
import { lendingProblemError, unreadableError } from './lending-failure';
import { callsOf, type OperationPart } from './operation-part';

/** A balance, and the least that it must gain: less than zero for what an operation may take. */
export interface ExpectedGain {
  readonly token: Pick<Token, 'address' | 'symbol' | 'decimals'>;
  readonly owner: string;
  readonly atLeast: bigint;
  /** Set where contracts record the amount: the sum of these reads counts, and not the balance. */
  readonly records?: readonly ContractRead<bigint>[];
}

export interface StrategySimulationRequest extends Pick<
  EffectsRequest,
  'chainId' | 'sender' | 'stateOverrides' | 'signal'
> {
  readonly parts: readonly OperationPart[];
  readonly expected: readonly ExpectedGain[];
  /** Explains reverts of the calls to the protocol. */
  readonly explainRevert: Protocol['explainRevert'];
}

export interface SimulatedOperation {
  /** With the approvals that the tokens accept. */
  readonly parts: readonly OperationPart[];
  readonly simulation: SimulationView;
  /** Gas units of all calls with a margin; `undefined` when the node cannot simulate. */
  readonly gasLimit: bigint | undefined;
}

/** The token refuses the transfer of a fee. */
export class RefusedFeeError extends Error {
  override readonly name = 'RefusedFeeError';

  constructor(readonly recipient: string) {
    super(`the token refuses the transfer of the fee to ${recipient}`);
  }
}

/** The router does not accept how the tokens of an operation move: it is possible without the router. */
export class UnfitRouterError extends Error {
  override readonly name = 'UnfitRouterError';
}

/**
 * Simulates all calls of an operation in sending order, each on the effects of those before it, and compares what they move.
 *
 * @throws LENDING_BAD_REQUEST when a call would revert, or the balances change otherwise than expected; RefusedFeeError when
 * only the transfer of a fee would revert; UnfitRouterError; LENDING_SERVICE_UNAVAILABLE for a request that cannot be simulated
 */
export async function simulateStrategyOperation(
  rpc: Pick<Rpc, 'simulate'>,
  request: StrategySimulationRequest,
): Promise<SimulatedOperation> {
  const first = await run(rpc, request, request.parts);
  const part = first.failed?.part;
  const isReset = first.failed?.isApproval === true && part?.approvalsWithReset !== undefined;
  const simulated = isReset ? await run(rpc, request, withReset(request.parts, part)) : first;
  const { parts, effects, failed } = simulated;
  if (typeof effects === 'string') {
    // Only the simulation shows that the vault records a request for the wallet.
    if (parts.some(({ kind }) => kind === 'REQUEST')) throw unreadableError('the request recorded by the vault');
    return { parts, simulation: { status: 'UNAVAILABLE', reason: effects }, gasLimit: undefined };
  }
  if (failed !== undefined) throw revertError(failed, request);
  assertEffects(effects, { ...request, parts });
  const gasUsed = effects.calls.reduce((sum, call) => sum + call.gasUsed, 0n);
  return { parts, simulation: { status: 'SUCCESS', reason: undefined }, gasLimit: withGasMargin(gasUsed) };
}

interface FailedCall {
  readonly part: OperationPart;
  readonly isApproval: boolean;
  readonly result: SimulatedCall;
}

interface OperationRun {
  readonly parts: readonly OperationPart[];
  /** The reason as text when the node cannot simulate. */
  readonly effects: CallEffects | string;
  readonly failed: FailedCall | undefined;
}

async function run(
  rpc: Pick<Rpc, 'simulate'>,
  { chainId, sender, stateOverrides, expected, signal }: StrategySimulationRequest,
  parts: readonly OperationPart[],
): Promise<OperationRun> {
  const watched = expected.map(({ token, owner, records }) =>
    records === undefined ? { token: token.address, owner } : { reads: records },
  );
  const calls = callsOf(parts);
  const effects = await simulateEffects(rpc, { chainId, sender, calls, watched, stateOverrides, signal });
  if (typeof effects === 'string') return { parts, effects, failed: undefined };
  const index = effects.calls.findIndex(({ ok }) => !ok);
  const [call, result] = [calls[index], effects.calls[index]];
  const part = parts.find((each) => call !== undefined && [...each.approvals, each.call].includes(call));
  const failed =
    part === undefined || result === undefined ? undefined : { part, isApproval: call !== part.call, result };
  return { parts, effects, failed };
}

const withReset = (parts: readonly OperationPart[], refused: OperationPart | undefined): readonly OperationPart[] =>
  parts.map((part) => (part === refused ? { ...part, approvals: part.approvalsWithReset ?? part.approvals } : part));

const NAMES: Readonly<Record<OperationPart['kind'], string>> = {
  TRANSFER: 'the transfer',
  SWAP: 'the swap',
  BRIDGE: 'the transfer to the other chain',
  DEPOSIT: 'the deposit',
  WITHDRAW: 'the withdrawal',
  REQUEST: 'the request',
  CLAIM: 'the claim',
};

const OF_PROTOCOL: ReadonlySet<OperationPart['kind']> = new Set(['DEPOSIT', 'WITHDRAW', 'REQUEST', 'CLAIM']);

function revertError(failed: FailedCall, { explainRevert }: StrategySimulationRequest): Error {
  const { part, isApproval, result } = failed;
  const { revertReason = 'without a reason', returnData } = result;
  const other = avoidableError(failed);
  if (other !== undefined) return other;
  const isOfProtocol = !isApproval && OF_PROTOCOL.has(part.kind);
  const known = isOfProtocol ? (explainRevert(returnData) ?? explainRevert(revertReason)) : undefined;
  return lendingProblemError({ kind: 'REVERTED', message: `${nameOf(failed)} would revert: ${known ?? revertReason}` });
}

function nameOf({ part, isApproval }: FailedCall): string {
  const own = part.protocol === FEE_PROTOCOL ? 'the transfer of the fee' : NAMES[part.kind];
  return isApproval ? `the approval for ${own}` : own;
}

const isRoutedCall = ({ part, isApproval }: FailedCall): boolean => part.isRouted === true && !isApproval;

/** The error of a revert that another form of the operation avoids. */
function avoidableError(failed: FailedCall): Error | undefined {
  const recipient = refusedFeeOf(failed);
  if (recipient !== undefined) return new RefusedFeeError(recipient);
  const isOfRouter = isRoutedCall(failed) && isUnfit(failed.result.returnData);
  return isOfRouter ? new UnfitRouterError('the router refuses how the tokens move') : undefined;
}

/** Recipient of the fee that makes an operation fail. */
const refusedFeeOf = (failed: FailedCall): string | undefined =>
  failed.part.feeRecipient ?? (isRoutedCall(failed) ? refusedRecipient(failed.result.returnData) : undefined);

/** Contracts of strategies are listed, but upgradeable: what they would do counts, not what they state. */
function assertEffects({ gains, calls }: CallEffects, { parts, expected, sender }: StrategySimulationRequest): void {
  const problem = intrusion(calls, { parts, sender }) ?? shortGain(gains, expected);
  if (problem !== undefined)
    throw lendingProblemError({ kind: 'UNEXPECTED_EFFECTS', message: `the operation ${problem}` });
}

function intrusion(
  results: readonly SimulatedCall[],
  { parts, sender }: Pick<StrategySimulationRequest, 'parts' | 'sender'>,
): string | undefined {
  const calls = callsOf(parts);
  const problems = parts.map(({ call, access }) => {
    const logs = results[calls.indexOf(call)]?.logs ?? [];
    return access === undefined ? undefined : intrusionProblem(logs, { ...access, sender });
  });
  return problems.find((problem) => problem !== undefined);
}

function shortGain(gains: CallEffects['gains'], expected: readonly ExpectedGain[]): string | undefined {
  const problems = expected.map(({ token, atLeast, records }, index) => {
    const gain = gains[index];
    if (gain === undefined) return `moves ${token.symbol}, whose balance cannot be read`;
    if (gain >= atLeast) return undefined;
    const amount = (units: bigint): string => `${formatBaseUnits(units, token.decimals)} ${token.symbol}`;
    return atLeast < 0n
      ? `takes ${amount(-gain)} where ${amount(-atLeast)} were expected`
      : `${records === undefined ? 'brings' : 'records'} ${amount(gain)} where ${amount(atLeast)} were expected`;
  });
  return problems.find((problem) => problem !== undefined);
}
