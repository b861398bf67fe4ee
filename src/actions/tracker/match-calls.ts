import { keccak256, type Transaction as ChainTransaction } from 'viem';
import type { Database } from '../../persistence/database';
import type { MinedBlock } from './read-blocks';
import { isSameAddress } from '../../chains/addresses';

/** An issued call that no transaction has executed yet. */
export interface OpenCall {
  readonly id: string;
  readonly actionId: string;
  readonly customerId: string;
  readonly stepIndex: number;
  readonly kind: string;
  readonly sender: string;
  readonly target: string;
  readonly dataHash: Uint8Array;
  readonly value: string;
}

export interface FoundTransaction {
  readonly call: OpenCall;
  readonly transaction: ChainTransaction<bigint, number, false>;
  readonly block: MinedBlock;
}

/**
 * The open calls that transactions of these blocks carry out, in the order of the chain, with one query for the range.
 * A transaction executes at most one action, the oldest one with that call; an approval serves every action that needs it.
 */
export async function matchCalls(
  database: Database,
  chainId: number,
  blocks: readonly MinedBlock[],
): Promise<readonly FoundTransaction[]> {
  const senders = new Set(blocks.flatMap((block) => block.transactions.map(({ from }) => from.toLowerCase())));
  if (senders.size === 0) return [];
  const bySender = groupBySender(await openCallsOf(database, { chainId, form: 'CALL', senders: [...senders] }));
  const executed = new Set<string>();
  return blocks.flatMap((block) =>
    block.transactions.flatMap((transaction) => {
      const candidates = bySender.get(transaction.from.toLowerCase()) ?? [];
      const calls = callsCarriedOutBy(
        transaction,
        candidates.filter((call) => !executed.has(stepOf(call))),
      );
      for (const call of calls) executed.add(stepOf(call));
      return calls.map((call) => ({ call, transaction, block }));
    }),
  );
}

function groupBySender(calls: readonly OpenCall[]): ReadonlyMap<string, readonly OpenCall[]> {
  const groups = new Map<string, OpenCall[]>();
  for (const call of calls) {
    const group = groups.get(call.sender);
    if (group === undefined) groups.set(call.sender, [call]);
    else group.push(call);
  }
  return groups;
}

/** An approval counts as a step of its own, apart from the transaction that it prepares. */
const stepOf = (call: OpenCall): string =>
  call.kind === 'APPROVAL' ? call.id : `${call.actionId}/${String(call.stepIndex)}`;

/** The calls that are identical to the transaction: all approvals, or one other call. */
export function callsCarriedOutBy(
  transaction: Pick<ChainTransaction, 'from' | 'to' | 'input' | 'value'>,
  calls: readonly OpenCall[],
): readonly OpenCall[] {
  if (calls.length === 0) return [];
  const dataHash = Buffer.from(keccak256(transaction.input, 'bytes'));
  const same = calls.filter(
    (call) =>
      isSameAddress(call.sender, transaction.from) &&
      isSameAddress(call.target, transaction.to) &&
      call.value === transaction.value.toString() &&
      dataHash.equals(call.dataHash),
  );
  const approvals = same.filter((call) => call.kind === 'APPROVAL');
  return approvals.length > 0 ? approvals : same.slice(0, 1);
}

export interface OpenCallsQuery {
  readonly chainId: number;
  readonly form: 'CALL' | 'USER_OPERATION';
  /** Lower case. */
  readonly senders: readonly string[];
}

/**
 * The calls of these senders that no transaction has executed yet, oldest actions first. Failed actions that are still
 * watched come last, so that a transaction executes a live action if possible.
 */
export const openCallsOf = (
  database: Database,
  { chainId, form, senders }: OpenCallsQuery,
): Promise<readonly OpenCall[]> =>
  database.$queryRaw<OpenCall[]>`
    SELECT call.id, call."actionId", call."customerId", call."stepIndex", call.kind, call.sender, call.target,
           call."dataHash", call.value::text AS value
      FROM "ActionCall" AS call
      JOIN "Action" AS action ON action.id = call."actionId"
      JOIN "ActionStep" AS step ON step."actionId" = call."actionId" AND step."stepIndex" = call."stepIndex"
     WHERE call."chainId" = ${chainId} AND call.open AND call.sender = ANY(${[...senders]}) AND call.form = ${form}
       AND call.status = 'PENDING'
       AND ((action.status IN ('INITIAL', 'PENDING') AND (call.kind = 'APPROVAL' OR step.status = 'PENDING'))
            OR (action.status = 'FAILED' AND step.status IN ('SKIPPED', 'PENDING')))
     ORDER BY action.status = 'FAILED', call."actionId", call.id`;
