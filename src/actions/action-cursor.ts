import { z } from 'zod';
import { validationError } from '../errors/validation';
import type { ActionRow } from './action-row';
import type { ActionSortField, HistoryPosition } from './wallet-history';

const MAX_LENGTH = 200;

/** Within the years that the database and the contract write alike. */
const timeSchema = z.iso.datetime({ precision: 3 }).refine((time) => time >= '2000' && time < '9999');

const cursorSchema = z.union([
  z.tuple([z.enum(['createdAt', 'updatedAt', 'finishedAt']), timeSchema, z.guid()]),
  z.tuple([z.literal('finishedAt'), z.null(), z.guid()]),
]);

/** The cursor of an action in a history that is sorted by `sortBy`: base64url of the sort field, its value and the id. */
export function encodeActionCursor(row: ActionRow, sortBy: ActionSortField): string {
  const position = [sortBy, row[sortBy]?.toISOString() ?? null, row.id];
  return Buffer.from(JSON.stringify(position)).toString('base64url');
}

/** @throws VALIDATION_ERROR naming `after` for a text that is no cursor of a history that is sorted by `sortBy` */
export function decodeActionCursor(cursor: string, sortBy: ActionSortField): HistoryPosition {
  const { data } = cursorSchema.safeParse(parsed(cursor));
  if (data === undefined) throw invalid('must be the cursor of an edge, or the endCursor of a page, of this field');
  const [cursorSortBy, at, id] = data;
  if (cursorSortBy !== sortBy) throw invalid(`must be a cursor of a list that is sorted by ${sortBy}`);
  return { at: at === null ? null : new Date(at), id };
}

const invalid = (message: string) => validationError([{ path: 'after', message }]);

function parsed(cursor: string): unknown {
  if (cursor.length > MAX_LENGTH) return undefined;
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
}
