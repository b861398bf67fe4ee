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
  /** Set when a transaction in quarantine is retried: it carries out only calls that were issued before it was first seen. */
  readonly issuedUntil?: Date | undefined;
  /** Set for a user operation that was built for this action: it carries out no call of another action. */
  readonly actionId?: string | undefined;
}

type Queries = Pick<Database, '$queryRaw'>;

/** The call, and the action and step that it belongs to, for the conditions below. */
export const CALL_WITH_ACTION = Prisma.sql`
  "ActionCall" AS call
  JOIN "Action" AS action ON action.id = call."actionId"
  JOIN "ActionStep" AS step ON step."actionId" = call."actionId" AND step."stepIndex" = call."stepIndex"`;

/** Condition: no transaction has executed the call yet. Failed actions are those that are still watched. */
export const IS_OPEN = Prisma.sql`
  call.open AND call.status = 'PENDING'
  AND ((action.status IN ('INITIAL', 'PENDING') AND (call.kind = 'APPROVAL' OR step.status = 'PENDING'))
       OR (action.status = 'FAILED' AND step.status IN ('SKIPPED', 'PENDING')))`;

/** Keys as a parameter of a statement. */
export const keysJson = (keys: readonly CallKey[]): string =>
  JSON.stringify(
    keys.map(({ form, sender, target, value, dataHash, issuedUntil: until, actionId: action }, position) => {
      const hash = Buffer.from(dataHash).toString('hex');
      return { position, form, sender, target, value, hash, until, action };
    }),
  );

/** Columns of `keysJson`. */
export const KEY_COLUMNS = Prisma.sql`
  position int, form text, sender text, target text, value numeric, hash text, until timestamptz, action uuid`;

/** Condition: the call is identical to the row `mined`, whose columns are those of `keysJson`. */
export const isSameCall = (chainId: number): Prisma.Sql => Prisma.sql`
  call."chainId" = ${chainId} AND call.sender = mined.sender AND call."dataHash" = decode(mined.hash, 'hex')
  AND call.form = mined.form AND (mined.target IS NULL OR call.target = mined.target)
  AND (mined.value IS NULL OR call.value = mined.value) AND (mined.until IS NULL OR call."createdAt" <= mined.until)
  AND (mined.action IS NULL OR call."actionId" = mined.action)`;

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
export const callKeyText = ({ form, sender, target, value, dataHash, issuedUntil, actionId }: CallKey): string =>
  [form, sender, target, value, Buffer.from(dataHash).toString('hex'), issuedUntil?.getTime(), actionId].join(' ');

/** An issued call that no transaction has executed yet. */
export interface OpenCall {
  readonly id: string;
  readonly actionId: string;
  readonly stepIndex: number;
}

/**
 * The open calls of the oldest actions that are identical to the key, approvals excepted. Failed actions come last, so
 * that a transaction executes a live action if possible. Reads few rows, although many actions may be identical.
 */
export async function oldestOpenCalls(
  tx: Pick<Transaction, '$queryRaw'>,
  chainId: number,
  { key, limit }: { readonly key: CallKey; readonly limit: number },
): Promise<readonly OpenCall[]> {
  const live = await callsInOrder(tx, chainId, { key, limit, condition: Prisma.sql`action.status <> 'FAILED'` });
  if (live.length === limit) return live;
  const rest = { key, limit: limit - live.length, condition: Prisma.sql`action.status = 'FAILED'` };
  return [...live, ...(await callsInOrder(tx, chainId, rest))];
}

/** With constants and in the order of the index, so that reading ends at the limit. */
const callsInOrder = (
  tx: Pick<Transaction, '$queryRaw'>,
  chainId: number,
  { key, limit, condition }: { readonly key: CallKey; readonly limit: number; readonly condition: Prisma.Sql },
): Promise<readonly OpenCall[]> =>
  tx.$queryRaw<OpenCall[]>`
    SELECT call.id, call."actionId", call."stepIndex" FROM ${CALL_WITH_ACTION}
     WHERE call."chainId" = ${chainId} AND call.sender = ${key.sender} AND call."dataHash" = ${key.dataHash}::bytea
       AND call.form = ${key.form} AND (${key.target ?? null}::text IS NULL OR call.target = ${key.target ?? null}::text)
       AND (${key.value ?? null}::numeric IS NULL OR call.value = ${key.value ?? null}::numeric)
       AND (${key.issuedUntil ?? null}::timestamptz IS NULL OR call."createdAt" <= ${key.issuedUntil ?? null}::timestamptz)
       AND (${key.actionId ?? null}::uuid IS NULL OR call."actionId" = ${key.actionId ?? null}::uuid)
       AND ${IS_OPEN} AND call.kind <> 'APPROVAL' AND ${condition}
     ORDER BY call."actionId" LIMIT ${limit}`;
