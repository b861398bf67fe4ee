// Runs a module of the project, such as `node scripts/run.cjs src/main`: installs missing packages, builds changed
// files.
const path = require('node:path');
const { install, root } = require('./setup/install.cjs');

/** Commands of a deployment that needs no development packages: the service, its administration, its supergraph. */
const isForDevelopment = (module) => /^scripts\/(?!supergraph$|reset$)/.test(module ?? '');

/** Benchmarks have no options: a request for help, or an option that does not exist, must not start minutes of work. */
function refuseArguments(module, args) {
  const [, name] = /^scripts\/bench-(\w+)\/main$/.exec(module ?? '') ?? [];
  if (name === undefined || args.length === 0) return;
  throw new Error(
    `npm run bench:${name} takes no arguments: ${args.join(' ')}. docs/benchmarks.md says what it measures.`,
  );
}

async function run([module, ...args]) {
  refuseArguments(module, args);
  await install({ isForDevelopment: isForDevelopment(module) });
  require('./setup/build.cjs').build();
  if (module === undefined) return;
  const file = path.join(root, 'dist', `${module}.js`);
  process.argv = [process.argv[0], file, ...args];
  require(file);
}

run(process.argv.slice(2)).catch((error) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
