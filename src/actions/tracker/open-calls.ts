import { Prisma } from '../../persistence/client/client';
import type { Database, Transaction } from '../../persistence/database';

/** What a transaction, or a user operation in a bundle, has in common with the calls that it carries out. */
export interface CallKey {
  readonly form: 'CALL' | 'USER_OPERATION';
  /** Lower case. */
  readonly sender: string;
  /** Lower case; `undefined` for a user operation, whose calldata contains the targets. */
  readonly target: string | undefined;
  /** Wei, in decimal; `undefined` for a user operation. */
  readonly value: string | undefined;
  /** Keccak-256 of the calldata. */
  readonly dataHash: Uint8Array;
  /** Nonce of the transaction; `undefined` when another account sent it. */
  readonly nonce?: bigint | undefined;
  /** Set when a transaction in quarantine is retried: it carries out only calls that were issued before it was first seen. */
  readonly issuedUntil?: Date | undefined;
  /** Set for a user operation that was built for this action: it carries out no call of another action. */
  readonly actionId?: string | undefined;
  /** Set for a call of a Safe: it carries out no call without the id of its action that was issued after this time. */
  readonly untaggedUntil?: Date | undefined;
}

type Queries = Pick<Database, '$queryRaw'>;

/** The call, and the action and step that it belongs to, for the conditions below. */
export const CALL_WITH_ACTION = Prisma.sql`
  "ActionCall" AS call
  JOIN "Action" AS action ON action.id = call."actionId"
  JOIN "ActionStep" AS step ON step."actionId" = call."actionId" AND step."stepIndex" = call."stepIndex"`;

/**
 * Condition: no transaction has executed the call yet, or only one that reverted. Failed actions are those that are still
 * watched. A failed step leaves its action pending only while a transfer to another chain is in transit.
 */
export const IS_OPEN = Prisma.sql`
  call.open AND call.status = 'PENDING'
  AND ((action.status IN ('INITIAL', 'PENDING')
        AND (call.kind = 'APPROVAL' OR step.status IN ('PENDING', 'FAILED') OR (step.status = 'SUBMITTED' AND step.reverted)))
       OR (action.status = 'FAILED' AND (step.status IN ('SKIPPED', 'PENDING', 'FAILED')
                                         OR (step.status = 'SUBMITTED' AND step.reverted))))`;

/** Keys as a parameter of a statement. */
export const keysJson = (keys: readonly CallKey[]): string =>
  JSON.stringify(
    keys.map(({ form, sender, target, value, ...key }, position) => {
      const { issuedUntil: until, untaggedUntil: untagged, actionId: action } = key;
      const hash = Buffer.from(key.dataHash).toString('hex');
      return { position, form, sender, target, value, hash, nonce: key.nonce?.toString(), until, action, untagged };
    }),
  );

/** Columns of `keysJson`. */
export const KEY_COLUMNS = Prisma.sql`
  position int, form text, sender text, target text, value numeric, hash text, nonce numeric, until timestamptz, action uuid,
  untagged timestamptz`;

/** Condition: the call is identical to the row `mined`, whose columns are those of `keysJson`. */
export const isSameCall = (chainId: number): Prisma.Sql => Prisma.sql`
  call."chainId" = ${chainId} AND call.sender = mined.sender AND call."dataHash" = decode(mined.hash, 'hex')
  AND call.form = mined.form AND (mined.target IS NULL OR call.target = mined.target)
  AND (mined.value IS NULL OR call.value = mined.value) AND (mined.until IS NULL OR call."createdAt" <= mined.until)
  AND (mined.action IS NULL OR call."actionId" = mined.action)
  AND (mined.untagged IS NULL OR call."minNonce" IS NULL OR call."createdAt" <= mined.untagged)
  AND (mined.nonce IS NULL OR greatest(call."minNonce", call."reportedNonce") IS NULL
       OR greatest(call."minNonce", call."reportedNonce") <= mined.nonce)`;

/** Those of the senders, in lower case, that have a call to carry out. Reads one row for each sender. */
export async function sendersWithOpenCalls(
  database: Queries,
  { chainId, form, senders }: { readonly chainId: number; readonly form: string; readonly senders: readonly string[] },
): Promise<ReadonlySet<string>> {
  if (senders.length === 0) return new Set();
  const rows = await database.$queryRaw<{ sender: string }[]>`
    SELECT mined.sender FROM unnest(${[...senders]}::text[]) AS mined(sender)
     WHERE EXISTS (SELECT 1 FROM "ActionCall" AS call
                    WHERE call."chainId" = ${chainId} AND call.open AND call.sender = mined.sender AND call.form = ${form})`;
  return new Set(rows.map(({ sender }) => sender));
}

/** Whether open calls are identical to a key. */
export interface OpenKinds {
  readonly approval: boolean;
  readonly other: boolean;
}

const NONE: OpenKinds = { approval: false, other: false };

/** For each key: the kinds of open calls that are identical to it, however many there are. */
export async function openKinds(
  database: Queries,
  chainId: number,
  keys: readonly CallKey[],
): Promise<readonly OpenKinds[]> {
  if (keys.length === 0) return [];
  const distinct = new Map(keys.map((key) => [callKeyText(key), key]));
  const exists = (kind: Prisma.Sql): Prisma.Sql =>
    Prisma.sql`EXISTS (SELECT 1 FROM ${CALL_WITH_ACTION} WHERE ${isSameCall(chainId)} AND ${IS_OPEN} AND ${kind})`;
  const rows = await database.$queryRaw<(OpenKinds & { position: number })[]>`
    SELECT mined.position, ${exists(Prisma.sql`call.kind = 'APPROVAL'`)} AS approval,
           ${exists(Prisma.sql`call.kind <> 'APPROVAL'`)} AS other
      FROM jsonb_to_recordset(${keysJson([...distinct.values()])}::jsonb)
           AS mined(${KEY_COLUMNS})`;
  const found = new Map(rows.map(({ position, approval, other }) => [position, { approval, other }]));
  const kinds = new Map([...distinct.keys()].map((text, position) => [text, found.get(position) ?? NONE]));
  return keys.map((key) => kinds.get(callKeyText(key)) ?? NONE);
}

/** Equal for equal keys. */
const callKeyText = ({ form, sender, target, value, dataHash, nonce, actionId, ...key }: CallKey): string => {
  const times = [key.issuedUntil?.getTime(), key.untaggedUntil?.getTime()];
  const hash = Buffer.from(dataHash).toString('hex');
  return [form, sender, target, value, hash, nonce, actionId, ...times].join(' ');
};

/** An issued call that a transaction executes. */
export interface OpenCall {
  readonly actionId: string;
  readonly stepIndex: number;
}

export interface CallSearch {
  readonly key: CallKey;
  /** True for a transaction that reverted: it takes the place of no other one. */
  readonly reverted: boolean;
}

/**
 * The open call that a transaction executes, approvals excepted. `undefined` when there is none, `ambiguous` when the
 * transaction may belong to several customers.
 *
 * Calls without the id of their action may be identical. Then the call counts that its customer reported with the nonce of
 * the transaction, or else the one of the oldest action; failed actions come last, so that a transaction executes a live
 * action if possible. Reads few rows, although many actions may be identical.
 */
export async function findOpenCall(
  tx: Pick<Transaction, '$queryRaw'>,
  chainId: number,
  search: CallSearch,
): Promise<OpenCall | 'ambiguous' | undefined> {
  const candidate = isCandidate(chainId, search);
  const first =
    (await firstCall(tx, candidate, Prisma.sql`action.status <> 'FAILED'`)) ??
    (await firstCall(tx, candidate, Prisma.sql`action.status = 'FAILED'`));
  if (first?.isShared !== true) return first;
  const { nonce } = search.key;
  const reported =
    nonce === undefined ? undefined : await firstCall(tx, candidate, Prisma.sql`call."reportedNonce" = ${nonce}`);
  if (reported !== undefined) return reported;
  const foreign = await firstCall(tx, candidate, Prisma.sql`call."customerId" <> ${first.customerId}::uuid`);
  return foreign === undefined ? first : 'ambiguous';
}

interface CandidateCall extends OpenCall {
  readonly customerId: string;
  /** True when other actions have the same call. */
  readonly isShared: boolean;
}

/** The candidate of the oldest action, in the order of the index, so that reading ends at the first row. */
async function firstCall(
  tx: Pick<Transaction, '$queryRaw'>,
  candidate: Prisma.Sql,
  condition: Prisma.Sql,
): Promise<CandidateCall | undefined> {
  const [found] = await tx.$queryRaw<CandidateCall[]>`
    SELECT oldest.*, EXISTS (SELECT 1 FROM ${CALL_WITH_ACTION}
                              WHERE ${candidate} AND call."actionId" <> oldest."actionId") AS "isShared"
      FROM (SELECT call."actionId", call."stepIndex", call."customerId" FROM ${CALL_WITH_ACTION}
             WHERE ${candidate} AND ${condition}
             ORDER BY call."actionId" LIMIT 1) AS oldest`;
  return found;
}

/** Condition, with constants: the transaction may execute the call. */
function isCandidate(chainId: number, { key, reverted }: CallSearch): Prisma.Sql {
  const { form, sender, dataHash, target = null, value = null } = key;
  const { nonce = null, issuedUntil = null, untaggedUntil = null, actionId = null } = key;
  return Prisma.sql`
    call."chainId" = ${chainId} AND call.sender = ${sender} AND call."dataHash" = ${dataHash}::bytea
    AND call.form = ${form} AND (${target}::text IS NULL OR call.target = ${target}::text)
    AND (${value}::numeric IS NULL OR call.value = ${value}::numeric)
    AND (${nonce}::bigint IS NULL OR greatest(call."minNonce", call."reportedNonce") IS NULL
         OR greatest(call."minNonce", call."reportedNonce") <= ${nonce}::bigint)
    AND (${issuedUntil}::timestamptz IS NULL OR call."createdAt" <= ${issuedUntil}::timestamptz)
    AND (${untaggedUntil}::timestamptz IS NULL OR call."minNonce" IS NULL
         OR call."createdAt" <= ${untaggedUntil}::timestamptz)
    AND (${actionId}::uuid IS NULL OR call."actionId" = ${actionId}::uuid)
    AND ${IS_OPEN} AND call.kind <> 'APPROVAL' AND (NOT ${reverted} OR step.status IN ('SKIPPED', 'PENDING'))`;
}
