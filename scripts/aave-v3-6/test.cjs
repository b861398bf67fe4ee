// Runs the tests of the protocol port, of thirty days and of rewards against Aave V3.6 in place of the version of the local chains.
const { spawn } = require('node:child_process');
const path = require('node:path');
const { install, root } = require('../setup/install.cjs');

const SUITES = ['protocols', 'thirty-days', 'reward-rates'].map((name) => `test/strategies/${name}.chain.test.ts`);

async function test(args) {
  await install({ isForDevelopment: true });
  const artifacts = require('./compile.cjs').compileAave();
  const tests = spawn(process.execPath, [path.join(root, 'scripts/test.cjs'), ...(args.length === 0 ? SUITES : args)], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, AFLUENTE_TEST_AAVE_V3_6: artifacts },
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => tests.kill(signal));
  process.exitCode = await new Promise((resolve) => tests.once('close', (code) => resolve(code ?? 1)));
}

test(process.argv.slice(2)).catch((error) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
