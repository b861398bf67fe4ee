import { z } from 'zod';
import { validationError } from '../errors/validation';
import type { Database, Transaction } from '../persistence/database';
import { pageCursor, parsePageCursor } from '../persistence/page-cursor';
import { uuidV7 } from '../persistence/uuid-v7';
import type { CustomerId, Role } from './principal';

/** A user of the dashboard in one request. */
export interface Actor {
  readonly customerId: CustomerId;
  /** Claim `sub` of the access token. */
  readonly subject: string;
  readonly role: Role;
  readonly requestId: string;
}

/** A change that a user of the dashboard makes. Never contains secrets, personal data or texts of the user. */
export interface AuditedChange {
  /** Name of the mutation. */
  readonly operation: string;
  readonly targetType:
    'action' | 'apiKey' | 'customer' | 'member' | 'strategy' | 'wallet' | 'webhookDelivery' | 'webhookEndpoint';
  /** Id of the target; the subject of a member, the address of a wallet. */
  readonly targetId: string;
  /** Names of what was changed, with their new values where these are numbers, roles, switches or recipients of fees. */
  readonly detail?: Readonly<Record<string, string | number | boolean | null>>;
}

/** Records a change in the transaction that makes it. Changes without a user, as by an API key, are not recorded. */
export async function recordAudit(
  tx: Pick<Transaction, 'auditEntry'>,
  actor: Actor | undefined,
  { operation, targetType, targetId, detail = {} }: AuditedChange,
): Promise<void> {
  if (actor === undefined) return;
  const { customerId, subject, role, requestId } = actor;
  const change = { operation, targetType, targetId, detail: { ...detail } };
  await tx.auditEntry.create({ data: { id: uuidV7(), customerId, subject, role, requestId, ...change } });
}

/** A recorded change. */
export interface AuditEntry {
  readonly id: string;
  /** By the clock of the database. */
  readonly at: Date;
  readonly subject: string;
  readonly role: Role;
  readonly operation: string;
  readonly targetType: string;
  readonly targetId: string;
  readonly detail: unknown;
  readonly requestId: string;
}

export interface AuditQuery {
  readonly customerId: CustomerId;
  /** 1 to 100, default 20. */
  readonly first?: number | null | undefined;
  /** The `endCursor` of the page before. */
  readonly after?: string | null | undefined;
  /** Only changes by this mutation. */
  readonly operation?: string | null | undefined;
  /** Only changes of this target. */
  readonly targetId?: string | null | undefined;
  /** Only changes by this user. */
  readonly subject?: string | null | undefined;
}

export interface AuditPage {
  readonly entries: readonly AuditEntry[];
  readonly hasNextPage: boolean;
}

const DEFAULT_PAGE = 20;
const MAX_PAGE = 100;
const MAX_FILTER_LENGTH = 255;

const filterSchema = z
  .string()
  .min(1)
  .max(MAX_FILTER_LENGTH, `must have at most ${String(MAX_FILTER_LENGTH)} characters`)
  .nullish();
const querySchema = z.object({
  first: z
    .int()
    .min(1, `must be between 1 and ${String(MAX_PAGE)}`)
    .max(MAX_PAGE, `must be between 1 and ${String(MAX_PAGE)}`)
    .nullish()
    .transform((first) => first ?? DEFAULT_PAGE),
  after: z
    .string()
    .transform((cursor, context) => {
      const position = parsePageCursor(cursor);
      if (position !== undefined) return position;
      context.addIssue({ code: 'custom', message: 'must be the endCursor of a page' });
      return z.NEVER;
    })
    .nullish(),
  operation: filterSchema,
  targetId: filterSchema,
  subject: filterSchema,
});

/** The cursor behind an entry. */
export const auditCursor = ({ at, id }: Pick<AuditEntry, 'at' | 'id'>): string => pageCursor({ at, id });

/** The recorded changes of a customer, the newest first. @throws VALIDATION_ERROR with all problems at once */
export async function listAuditEntries(
  { database }: { readonly database: Pick<Database, 'auditEntry'> },
  { customerId, ...given }: AuditQuery,
): Promise<AuditPage> {
  const parsed = querySchema.safeParse(given);
  if (!parsed.success)
    throw validationError(parsed.error.issues.map(({ path, message }) => ({ path: path.join('.'), message })));
  const { first, after, operation, targetId, subject } = parsed.data;
  const rows = await database.auditEntry.findMany({
    where: {
      customerId,
      ...(typeof operation === 'string' ? { operation } : {}),
      ...(typeof targetId === 'string' ? { targetId } : {}),
      ...(typeof subject === 'string' ? { subject } : {}),
      ...(after ? { OR: [{ at: { lt: after.at } }, { at: after.at, id: { lt: after.id } }] } : {}),
    },
    orderBy: [{ at: 'desc' }, { id: 'desc' }],
    take: first + 1,
  });
  return { entries: rows.slice(0, first), hasNextPage: rows.length > first };
}
