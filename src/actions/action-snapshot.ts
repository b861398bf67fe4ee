import { z } from 'zod';
import type { ChainTable } from '../chains/chain-table';
import { parseActionRow } from './action-row';
import { type ActionView, actionView } from './action-view';

const bigId = z.int().transform((id) => BigInt(id));
const instant = z.string().transform((text) => new Date(text));

/** The columns that JSON represents otherwise than the database client does. */
const snapshotSchema = z.looseObject({
  chainIdIn: bigId,
  chainIdOut: bigId,
  createdAt: instant,
  updatedAt: instant,
  initialDate: instant.nullable(),
  finishedAt: instant.nullable(),
});

/** The action as callers saw it at the time of a snapshot, which the function `actionSnapshot` of the database takes. */
export const actionOfSnapshot = (chains: ChainTable, snapshot: unknown): ActionView =>
  actionView(chains, parseActionRow(snapshotSchema.parse(snapshot)));
