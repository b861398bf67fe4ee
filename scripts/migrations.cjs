// Creates and checks migrations without a server: `check`, or `create <name>`.
// The schema engine is Prisma's own, as WebAssembly; it replays the migrations on an in-memory PostgreSQL.
const fs = require('node:fs');
const path = require('node:path');
const { install, root } = require('./setup/install.cjs');

const folder = path.join(root, 'prisma/migrations');

/** Node 20 cannot import a .wasm file, so it is instantiated here. */
async function loadEngine() {
  const engine = path.join(root, 'node_modules/@prisma/schema-engine-wasm/schema_engine_bg');
  const glue = await import(`${engine}.js`);
  const { instance } = await WebAssembly.instantiate(fs.readFileSync(`${engine}.wasm`), {
    './schema_engine_bg.js': glue,
  });
  glue.__wbg_set_wasm(instance.exports);
  instance.exports.__wbindgen_start();
  return glue.SchemaEngine;
}

async function memoryAdapter() {
  const { PGlite } = require('@electric-sql/pglite');
  const { PrismaPGlite } = require('pglite-prisma-adapter');
  const { bindMigrationAwareSqlAdapterFactory } = require('@prisma/driver-adapter-utils');
  const factory = () => new PrismaPGlite(new PGlite());
  const main = factory();
  return bindMigrationAwareSqlAdapterFactory({
    provider: main.provider,
    adapterName: main.adapterName,
    connect: () => main.connect(),
    connectToShadowDb: () => factory().connect(),
  });
}

function migrationList() {
  const names = fs
    .readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();
  return {
    baseDir: folder,
    lockfile: {
      path: 'migration_lock.toml',
      content: fs.readFileSync(path.join(folder, 'migration_lock.toml'), 'utf8'),
    },
    shadowDbInitScript: '',
    migrationDirectories: names.map((name) => ({
      path: name,
      migrationFile: {
        path: 'migration.sql',
        content: { tag: 'ok', value: fs.readFileSync(path.join(folder, name, 'migration.sql'), 'utf8') },
      },
    })),
  };
}

/** The SQL from the migrations to the schema. Empty when they agree. */
async function missingSql() {
  const SchemaEngine = await loadEngine();
  const schemaFile = path.join(root, 'prisma/schema.prisma');
  const schema = { path: schemaFile, content: fs.readFileSync(schemaFile, 'utf8') };
  const options = { datamodels: [[schema.path, schema.content]] };
  const engine = await SchemaEngine.new(options, () => {}, await memoryAdapter());
  const { stdout } = await engine.diff({
    from: { tag: 'migrations', ...migrationList() },
    to: { tag: 'schemaDatamodel', files: [schema], configDir: path.dirname(schemaFile) },
    script: true,
    exitCode: true,
    filters: { externalTables: [], externalEnums: [] },
  });
  const sql = stdout ?? '';
  return /^(\s|--.*$)*$/m.test(sql) && !/;/.test(sql) ? '' : sql;
}

async function main([command, name]) {
  await install({ isForDevelopment: true });
  const sql = await missingSql();
  if (command === 'create' && /^[a-z][a-z0-9_]*$/.test(name ?? '')) {
    if (sql === '') return console.log('The migrations agree with the schema.');
    const stamp = new Date().toISOString().replace(/\D/g, '').slice(0, 14);
    const directory = path.join(folder, `${stamp}_${name}`);
    fs.mkdirSync(directory);
    fs.writeFileSync(path.join(directory, 'migration.sql'), sql);
    return console.log(`Wrote ${path.relative(root, directory)}/migration.sql`);
  }
  if (command !== 'check') throw new Error('Usage: migrations check | create <name_in_snake_case>');
  if (sql === '') return;
  console.error('prisma/schema.prisma differs from the migrations. Run: npm run db:migration -- <name>\n');
  console.error(sql);
  process.exitCode = 1;
}

main(process.argv.slice(2))
  .then(() => process.exit())
  .catch((error) => {
    console.error(error instanceof Error ? (error.stack ?? error.message) : error);
    process.exit(1);
  });
