import type { ClientBase } from 'pg';
import { z } from 'zod';
import { MigrationError } from './migration-error';

/** As PostgreSQL numbers its releases: 14.0 is 140000. */
const MIN_VERSION = 140_000;

const versionSchema = z.tuple([z.object({ number: z.coerce.number().int(), version: z.string() })]);

/** @throws MigrationError when the server is older than PostgreSQL 14. */
export async function refuseOldServer(client: Pick<ClientBase, 'query'>): Promise<void> {
  const { rows } = await client.query(
    `SELECT current_setting('server_version_num') AS number, current_setting('server_version') AS version`,
  );
  const [{ number, version }] = versionSchema.parse(rows);
  if (number >= MIN_VERSION) return;
  throw new MigrationError(
    `PostgreSQL ${version} is not supported: DATABASE_URL must name a server of version 14 or newer.`,
  );
}
