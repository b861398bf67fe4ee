import type { Client } from 'pg';
import { z } from 'zod';

/** Values of required columns by type; `$` is replaced by a number, so that rows differ. */
const VALUES: Readonly<Record<string, string>> = {
  uuid: 'gen_random_uuid()',
  text: `'text $'`,
  varchar: `'text $'`,
  int2: '$',
  int4: '$',
  int8: '$',
  numeric: '$',
  bool: 'false',
  timestamptz: `now() + interval '$ seconds'`,
  date: `current_date + $`,
  jsonb: `'{}'`,
  bytea: `'\\x0$'`,
};

const columnSchema = z.object({ name: z.string(), type: z.string(), isEnum: z.boolean(), isArray: z.boolean() });

const COLUMNS = `
  SELECT attribute.attname AS name, type.typname AS type, type.typtype = 'e' AS "isEnum", type.typcategory = 'A' AS "isArray"
    FROM pg_attribute AS attribute JOIN pg_type AS type ON type.oid = attribute.atttypid
   WHERE attribute.attrelid = $1::regclass AND attribute.attnum > 0 AND NOT attribute.attisdropped
     AND attribute.attnotnull AND (NOT attribute.atthasdef OR type.typname = 'uuid')`;

/** Lets rows be inserted that contradict the rules of their tables: without triggers, foreign keys and checks. For an owner of all tables. */
export async function dropChecks(client: Client): Promise<void> {
  const { rows } = await client.query<{ drop: string }>(`
    SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname) AS drop
      FROM pg_constraint WHERE contype = 'c' AND connamespace = 'public'::regnamespace`);
  for (const { drop } of rows) await client.query(drop);
  await client.query(`SET session_replication_role = 'replica'`);
}

/** A statement that inserts the row number `number` into any table, with the given columns. */
export async function insertOf(
  client: Client,
  table: string,
  { number, given }: { readonly number: number; readonly given: Readonly<Record<string, string>> },
): Promise<string> {
  const columns = z.array(columnSchema).parse((await client.query(COLUMNS, [`"${table}"`])).rows);
  const values = new Map(columns.map((column) => [column.name, valueOf(column, number)]));
  for (const [name, value] of Object.entries(given)) values.set(name, value);
  const names = [...values.keys()].map((name) => `"${name}"`).join(', ');
  return `INSERT INTO "${table}" (${names}) VALUES (${[...values.values()].join(', ')})`;
}

function valueOf({ name, type, isEnum, isArray }: z.infer<typeof columnSchema>, number: number): string {
  if (isEnum) return `(enum_range(NULL::"${type}"))[1]`;
  if (isArray) return `'{}'`;
  const value = VALUES[type];
  if (value === undefined) throw new Error(`no sample value for the column ${name} of the type ${type}`);
  return value.replaceAll('$', String(number));
}
