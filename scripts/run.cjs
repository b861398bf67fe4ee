// Runs a module of the project, such as `node scripts/run.cjs src/main`: installs missing packages, builds changed
// files.
const path = require('node:path');
const { install, root } = require('./setup/install.cjs');

/** Commands of a deployment that needs no development packages: the service, its administration, its supergraph. */
const isForDevelopment = (module) => /^scripts\/(?!supergraph$|reset$)/.test(module ?? '');

async function run([module, ...args]) {
  await install({ isForDevelopment: isForDevelopment(module) });
  require('./setup/build.cjs').build();
  if (module === undefined) return;
  process.setSourceMapsEnabled(true);
  const file = path.join(root, 'dist', `${module}.js`);
  process.argv = [process.argv[0], file, ...args];
  require(file);
}

run(process.argv.slice(2)).catch((error) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
