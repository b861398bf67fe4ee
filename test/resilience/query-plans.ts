import type { Client, Pool, PoolClient } from 'pg';
import { z } from 'zod';
import { GROWN_TABLES, ROWS_PER_TABLE } from './grown-database';

/** A statement that the service sent to the database. */
export interface RecordedStatement {
  readonly text: string;
  readonly values: readonly unknown[];
}

interface QueryConfig {
  readonly text: string;
  readonly values?: readonly unknown[];
}

/** Records the statements of all connections that the pool opens from now on. */
export function recordStatements(pool: Pool): RecordedStatement[] {
  const recorded: RecordedStatement[] = [];
  pool.on('connect', (client: PoolClient) => {
    const query = client.query.bind(client) as (...args: unknown[]) => unknown;
    const recording = (first: string | QueryConfig, ...rest: unknown[]): unknown => {
      const { text, values = rest[0] } = typeof first === 'string' ? { text: first } : first;
      recorded.push({ text, values: Array.isArray(values) ? values : [] });
      return query(first, ...rest);
    };
    Object.assign(client, { query: recording });
  });
  return recorded;
}

export interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string | undefined;
  readonly 'Index Name'?: string | undefined;
  readonly 'Index Cond'?: string | undefined;
  readonly 'Rows Removed by Filter'?: number | undefined;
  readonly 'Rows Removed by Index Recheck'?: number | undefined;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly Plans?: readonly PlanNode[] | undefined;
}

const planNode: z.ZodType<PlanNode> = z.lazy(() =>
  z.object({
    'Node Type': z.string(),
    'Relation Name': z.string().optional(),
    'Index Name': z.string().optional(),
    'Index Cond': z.string().optional(),
    'Rows Removed by Filter': z.number().optional(),
    'Rows Removed by Index Recheck': z.number().optional(),
    'Actual Rows': z.number(),
    'Actual Loops': z.number(),
    Plans: z.array(planNode).optional(),
  }),
);
const explained = z.tuple([z.object({ 'QUERY PLAN': z.tuple([z.object({ Plan: planNode })]) })]);

/** An INSERT of values reads no table. */
const PLANNED = /^\s*(SELECT|UPDATE|DELETE|WITH)\b/i;

/** All nodes of the server's plan for a statement. The statement runs, and is rolled back. */
export async function readPlan(client: Client, { text, values }: RecordedStatement): Promise<readonly PlanNode[]> {
  if (!PLANNED.test(text)) return [];
  await client.query('BEGIN');
  try {
    const { rows } = await client.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, [...values]);
    return nodesOf(explained.parse(rows)[0]['QUERY PLAN'][0].Plan);
  } finally {
    await client.query('ROLLBACK');
  }
}

const nodesOf = (node: PlanNode): readonly PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

/** Rows that a node may read: a quarter of a table, and a little more than the actions of the busiest wallet. */
const MAX_READ = ROWS_PER_TABLE / 4;

/** Why a node becomes slow as its table grows; `undefined` when it does not. */
export function problemOf(node: PlanNode): string | undefined {
  const { 'Node Type': type, 'Relation Name': table = '', 'Index Name': index = '', 'Index Cond': condition } = node;
  if (type === 'Seq Scan' && GROWN_TABLES.has(table)) return `${type} on ${table}`;
  if (/Index (Only )?Scan/.test(type) && condition === undefined) return `${type} of all ${index}`;
  const read = rowsRead(node);
  return read > MAX_READ ? `${type} on ${table} reads ${String(read)} rows` : undefined;
}

/** Rows that a node reads from its table or index, also those that a filter removes. */
export function rowsRead(node: PlanNode): number {
  const removed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0);
  return (node['Actual Rows'] + removed) * node['Actual Loops'];
}
