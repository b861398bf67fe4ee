// Runs every static check, two at a time, reports each as it begins and ends, and how many failed.
const { spawn } = require('node:child_process');
const { install, root } = require('./setup/install.cjs');

const run = 'node scripts/run.cjs';
const CHECKS = {
  types: 'npx tsc -p .',
  lint: 'npx eslint . --max-warnings 0',
  format: 'npx prettier --check --log-level warn .',
  layers: 'npx depcruise --config .dependency-cruiser.cjs src subgraphs gateway devnet scripts test',
  unused: 'npx knip',
  wording: 'node scripts/check-wording.cjs',
  names: 'node scripts/check-exported-names.cjs',
  migrations: 'npm run --silent db:check',
  graph: `${run} scripts/graph --check`,
  openapi: `${run} scripts/openapi --check`,
  spectral: 'npx spectral lint docs/openapi.json --ruleset .spectral.yaml --quiet',
  redocly: 'npx redocly lint docs/openapi.json --extends recommended',
  operations: 'npx graphql-codegen --config codegen.yml --check',
  contracts: `${run} devnet/contracts/compile --check`,
  strategies: `${run} scripts/strategy-rows --check`,
  lockfile: `${run} scripts/supply-chain/main lockfile`,
  licences: `${run} scripts/supply-chain/main licences`,
  installs: `${run} scripts/supply-chain/main installs`,
};

const report = (state, name, duration = '') => console.log(`${state.padEnd(6)} ${name.padEnd(11)}${duration}`);
const since = (started) => ` ${((Date.now() - started) / 1000).toFixed(1).padStart(5)} s`;

async function runCheck([name, command]) {
  const started = Date.now();
  report('begins', name);
  const child = spawn(command, { cwd: root, shell: true, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  child.stdout.on('data', (chunk) => (output += chunk));
  child.stderr.on('data', (chunk) => (output += chunk));
  const code = await new Promise((resolve) => child.once('close', resolve));
  report(code === 0 ? 'ok' : 'FAILED', name, since(started));
  if (code !== 0) console.log(output.trimEnd());
  return code === 0;
}

async function check(names) {
  await install({ isForDevelopment: true });
  const started = Date.now();
  report('begins', 'build');
  require('./setup/build.cjs').build();
  report('ok', 'build', since(started));
  const waiting = Object.entries(CHECKS).filter(([name]) => names.length === 0 || names.includes(name));
  const results = [];
  const lane = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) results.push(await runCheck(next));
  };
  await Promise.all([lane(), lane()]);
  const failed = results.filter((passed) => !passed).length;
  console.log(`\n${results.length - failed} checks passed, ${failed} failed, in${since(started)}`);
  process.exitCode = failed === 0 ? 0 : 1;
}

check(process.argv.slice(2)).catch((error) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
