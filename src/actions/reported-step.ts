import { type Hex, keccak256, type TransactionReceipt } from 'viem';
import { isSameAddress } from '../chains/addresses';
import { serviceError } from '../errors/service-error';
import type { Database } from '../persistence/database';
import type { Rpc } from '../rpc/rpc';
import { decodeSafeTransaction, hasSafeExecuted, wasSafeAt } from '../smart-accounts/safe-transaction';
import type { ActionRow } from './action-row';
import { untaggedUntil } from './tracker/safes/match-safe-calls';
import { findReportedOperation } from './tracker/user-operations/reported-operation';

/** A transaction that a caller reports as the execution of an action. */
export interface ReportedTransaction {
  readonly txHash: Hex;
  readonly from: string;
  readonly to: Hex | null;
  readonly input: Hex;
  readonly value: bigint;
  readonly nonce: bigint;
}

/** The same, once it is mined. */
export interface MinedReport extends ReportedTransaction {
  readonly block: { readonly number: bigint; readonly hash: string; readonly timestamp: bigint };
  readonly receipt: TransactionReceipt;
}

/** A step that a transaction carried out, reverted or not. */
export interface CarriedOutStep {
  readonly stepIndex: number;
  /** Set when the transaction is a bundle: the user operation in it that carried out the step. */
  readonly userOperationHash?: string | undefined;
  /** Set when a Safe made the call: its position among the calls of the Safe in the transaction. */
  readonly callIndex?: number | undefined;
  /** Set for a call without the id of its action, which other actions may have as well. */
  readonly sharedCallId?: string | undefined;
  readonly reverted: boolean;
}

type ReportedAction = Pick<ActionRow, 'id' | 'originAddress'> & {
  /** The chain of the reported transaction. */
  readonly chainId: number;
};

/** An issued call. */
interface IssuedCall {
  readonly id: string;
  readonly stepIndex: number;
  /** True when the calldata lacks the id of the action. */
  readonly isShared: boolean;
}

/**
 * The call that was issued for an action and is identical to a transaction, approvals excepted. A transaction that was sent
 * before the call was issued is another.
 */
export async function findIssuedCall(
  database: Database,
  { id: actionId, chainId }: Pick<ReportedAction, 'id' | 'chainId'>,
  { from, to, input, value, nonce }: Omit<ReportedTransaction, 'txHash'>,
): Promise<IssuedCall | undefined> {
  const call = await database.actionCall.findFirst({
    where: {
      actionId,
      chainId,
      kind: { not: 'APPROVAL' },
      form: 'CALL',
      sender: from.toLowerCase(),
      target: to?.toLowerCase() ?? '',
      dataHash: Buffer.from(keccak256(input, 'bytes')),
      value: value.toString(),
      OR: [{ minNonce: null }, { minNonce: { lte: nonce } }],
    },
    select: { id: true, stepIndex: true, minNonce: true },
  });
  if (call === null) return undefined;
  return { id: call.id, stepIndex: call.stepIndex, isShared: call.minNonce !== null };
}

interface FindStepDeps {
  readonly database: Database;
  readonly rpc: Pick<Rpc, 'request'>;
}

/**
 * The step that a mined transaction carries out: the transaction must be identical to a call that was issued for the action,
 * have a Safe make it, or contain such a user operation. Approvals carry out no step.
 *
 * @throws TX_REVERTED for a transaction of a Safe that reverted, which carries out nothing; PROVIDER_UNAVAILABLE.
 */
export async function findCarriedOutStep(
  deps: FindStepDeps,
  action: ReportedAction,
  mined: MinedReport,
): Promise<CarriedOutStep | undefined> {
  const { database } = deps;
  const call = await findIssuedCall(database, action, mined);
  if (call !== undefined) {
    const { stepIndex, isShared, id } = call;
    return { stepIndex, sharedCallId: isShared ? id : undefined, reverted: mined.receipt.status === 'reverted' };
  }
  return (await findSafeCall(deps, action, mined)) ?? findReportedOperation(database, action, mined);
}

async function findSafeCall(
  { database, rpc }: FindStepDeps,
  action: ReportedAction,
  mined: MinedReport,
): Promise<CarriedOutStep | undefined> {
  const { txHash, to: safe, receipt, block } = mined;
  if (safe === null || !isSameAddress(safe, action.originAddress)) return undefined;
  const calls = await issuedCallsIn(database, action, { ...mined, safe });
  const call = await firstFree(database, calls, { action, txHash });
  if (call === undefined) return undefined;
  const isSafe = await rpc.request(action.chainId, (client) => wasSafeAt(client, safe, block.number));
  if (!isSafe) return undefined;
  if (receipt.status === 'reverted') throw serviceError('TX_REVERTED', { txHash });
  return { ...call, reverted: !hasSafeExecuted(receipt, safe) };
}

/** A call of a Safe in a transaction that is identical to an issued one. */
interface SafeCall {
  readonly stepIndex: number;
  readonly callIndex: number;
}

interface SafeTransaction extends Pick<MinedReport, 'input' | 'block'> {
  readonly safe: string;
}

/** The calls of a Safe that were issued for an action, approvals excepted, in the order of the transaction. */
async function issuedCallsIn(
  database: Database,
  { id: actionId, chainId }: ReportedAction,
  { safe, input, block }: SafeTransaction,
): Promise<readonly SafeCall[]> {
  const issued = await database.actionCall.findMany({
    where: {
      actionId,
      chainId,
      kind: { not: 'APPROVAL' },
      form: 'CALL',
      sender: safe.toLowerCase(),
      OR: [{ minNonce: null }, { createdAt: { lte: untaggedUntil(block) } }],
    },
    select: { stepIndex: true, target: true, dataHash: true, value: true },
  });
  const steps = new Map(
    issued.map(({ stepIndex, value, ...call }) => [textOf({ ...call, value: value.toFixed(0) }), stepIndex]),
  );
  return (decodeSafeTransaction(input) ?? []).flatMap(({ to, value, data }, callIndex) => {
    const call = { target: to, value: value.toString(), dataHash: keccak256(data, 'bytes') };
    const stepIndex = steps.get(textOf(call));
    return stepIndex === undefined ? [] : [{ stepIndex, callIndex }];
  });
}

interface ComparedCall {
  readonly target: string;
  /** Wei, in decimal. */
  readonly value: string;
  readonly dataHash: Uint8Array;
}

/** Equal for identical calls of one account. */
const textOf = ({ target, value, dataHash }: ComparedCall): string =>
  [target.toLowerCase(), value, Buffer.from(dataHash).toString('hex')].join(' ');

/**
 * The call that executes the action already, or else the first one that executes no other action: a batch may contain
 * identical calls. The first of all when each executes another action.
 */
async function firstFree(
  database: Database,
  calls: readonly SafeCall[],
  { action, txHash }: { readonly action: ReportedAction; readonly txHash: Hex },
): Promise<SafeCall | undefined> {
  if (calls.length < 2) return calls[0];
  const steps = await database.actionStep.findMany({
    where: { chainId: action.chainId, txHash, callIndex: { not: null } },
    select: { actionId: true, callIndex: true },
  });
  const holders = new Map(steps.map(({ callIndex, actionId }) => [callIndex, actionId]));
  const own = calls.find(({ callIndex }) => holders.get(callIndex) === action.id);
  return own ?? calls.find(({ callIndex }) => !holders.has(callIndex)) ?? calls[0];
}
