import { readdirSync } from 'node:fs';
import path from 'node:path';
import { defineConfig } from 'prisma/config';

// Prisma refuses every command without its native schema engine, which an installation without scripts lacks and
// `generate`, `validate` and `format` do not use. For migrations there is `npm run db:migration` and `db:check`.
const engines = path.join(__dirname, 'node_modules/@prisma/engines');
if (!readdirSync(engines).some((file) => file.startsWith('schema-engine-'))) {
  process.env['PRISMA_SCHEMA_ENGINE_BINARY'] ??= process.execPath;
}

export default defineConfig({
  schema: 'prisma/schema.prisma',
  migrations: { path: 'prisma/migrations' },
  // The commands that reach a database: `prisma migrate deploy`, `status`, `resolve`.
  datasource: { url: process.env['DATABASE_URL'] ?? '' },
});
