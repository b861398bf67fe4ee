// Runs the tests: installs missing packages, builds changed files, then runs jest with the given arguments.
const { spawn } = require('node:child_process');
const { install, root } = require('./setup/install.cjs');
const { createMemoryDirectory } = require('./setup/memory-directory.cjs');

/** Workers inherit the flags. With the default of 16 MB, collecting young objects took 5 % more of the workers' time. */
const NODE_FLAGS = ['--max-old-space-size=4096', '--max-semi-space-size=64'];

const isProject = (arg) => ['unit', 'database', 'chains', 'service'].includes(arg);

/** jest takes every argument after `--selectProjects` for a project: the names of projects go last, so that paths stay paths. */
function projectsLast(args) {
  const at = args.indexOf('--selectProjects');
  if (at < 0) return args;
  const given = args.slice(at + 1);
  const end = given.findIndex((arg) => !isProject(arg));
  const projects = given.slice(0, end < 0 ? given.length : end);
  return [...args.slice(0, at), ...given.slice(projects.length), '--selectProjects', ...projects];
}

/** False for watch mode, which would need a build after each change, and for coverage, which jest measures only in files that it loads. */
const canUseBuild = (args) =>
  !args.some((arg) => /^--(watch|watch-?[aA]ll|coverage|collect-?[cC]overage)(=(?!false)|$)/.test(arg));

async function test(args) {
  await install({ isForDevelopment: true });
  require('./setup/build.cjs').build();
  const reporters = [
    'default',
    require.resolve('../test/setup/jest/described-responses-reporter.cjs'),
    require.resolve('./setup/closing-line-reporter.cjs'),
  ].map((reporter) => `--reporters=${reporter}`);
  const memory = createMemoryDirectory();
  const jest = spawn(
    process.execPath,
    [...NODE_FLAGS, require.resolve('jest/bin/jest'), ...projectsLast(args), ...reporters],
    {
      cwd: root,
      stdio: 'inherit',
      // Tests, and the processes that they start, read no settings of a deployment.
      env: {
        ...process.env,
        ...(memory && { TMPDIR: memory }),
        NODE_ENV: 'test',
        AFLUENTE_ENV_FILE: '',
        AFLUENTE_TEST_BUILD: canUseBuild(args) ? 'yes' : '',
      },
    },
  );
  // This process ends after jest, and then removes the directory.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => jest.kill(signal));
  process.exitCode = await new Promise((resolve) => jest.once('close', (code) => resolve(code ?? 1)));
}

test(process.argv.slice(2)).catch((error) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
