// Runs the tests: installs what is missing, builds what has changed, then jest with the arguments given.
const { spawn } = require('node:child_process');
const { install, root } = require('./setup/install.cjs');

async function test(args) {
  await install();
  require('./setup/build.cjs').build();
  const reporters = ['--reporters=default', `--reporters=${require.resolve('./setup/closing-line-reporter.cjs')}`];
  const jest = spawn(
    process.execPath,
    ['--max-old-space-size=4096', require.resolve('jest/bin/jest'), ...reporters, ...args],
    {
      cwd: root,
      stdio: 'inherit',
    },
  );
  process.exitCode = await new Promise((resolve) => jest.once('close', resolve));
}

test(process.argv.slice(2)).catch((error) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
