import { runAdmin } from './run-admin';

const untouchable = () => Promise.reject(new Error('the deployment must not be opened'));
const run = (...args: string[]) => runAdmin(args, untouchable);

test.each([[['--help']], [['customer', '--help']], [['key', 'list', '--help']], [['key', 'list', '-h', 'x', 'y']]])(
  'prints help for %j, without a deployment',
  async (args) => {
    const { exitCode, output, errors } = await run(...args);
    expect({ exitCode, errors }).toEqual({ exitCode: 0, errors: '' });
    expect(output).toContain(args[0] === '--help' ? 'key rotate <key>' : args[0]);
  },
);

test('lists every option of a command', async () => {
  const { output } = await run('customer', 'limit', '--help');
  for (const option of ['--per-minute', '--per-hour', '--json', '--help']) expect(output).toContain(option);
});

test.each([[[]], [['customer']], [['customer', 'destroy']], [['key', '--json']]])(
  'ends with 2 and lists the commands for the unknown command %j',
  async (args) => {
    const { exitCode, output, errors } = await run(...args);
    expect(exitCode).toBe(2);
    expect(output + errors).toContain('key rotate');
  },
);

test('reports all problems of a command line at once', async () => {
  const { exitCode, errors } = await run(
    'customer',
    'create',
    'extra',
    '--per-minute',
    '0',
    '--per-hour',
    'many',
    '--color',
  );
  expect(exitCode).toBe(2);
  expect(errors.split('\n')).toEqual([
    '--color is not an option of customer create',
    '"extra" is an unexpected argument',
    '--name is required',
    '--per-minute must be an integer from 1, or "default"',
    '--per-hour must be an integer from 1, or "default"',
  ]);
});

test.each<[string[], string]>([
  [['customer', 'create', '--name'], '--name requires a value'],
  [['customer', 'create', '--name', '--per-hour=5'], '--name requires a value'],
  [['customer', 'create', '--name', ' '], '--name must not be blank'],
  [['customer', 'create', '--name', 'a', '--name', 'b'], '--name is given twice'],
  [['customer', 'suspend'], '<customer> is required'],
  [['customer', 'limit', 'demo'], '--per-minute or another limit is required'],
  [['key', 'revoke', 'short'], '<key> is not the id of a key'],
  [['member', 'create', 'demo', 'ana'], '--role is required'],
  [['member', 'create', 'demo', 'ana', '--role', 'god'], '--role must be one of admin, owner, developer, viewer'],
  [['member', 'revoke', 'demo'], '<subject> is required'],
  [['key', 'rotate', 'A'.repeat(16), '--overlap', 'soon'], '--overlap must be a duration such as 90d, 24h, 30m or 10s'],
])('%j: %s', async (args, problem) => {
  const { exitCode, errors, output } = await run(...args);
  expect({ exitCode, errors, output }).toEqual({ exitCode: 2, errors: problem, output: '' });
});

test('reports problems as JSON with --json', async () => {
  const { exitCode, output, errors } = await run('customer', 'suspend', '--json');
  expect({ exitCode, errors }).toEqual({ exitCode: 2, errors: '' });
  expect(JSON.parse(output)).toEqual({ problems: ['<customer> is required'] });
});

test('ends with 1 when the deployment cannot be opened', async () => {
  await expect(run('customer', 'list')).resolves.toMatchObject({
    exitCode: 1,
    errors: 'The command failed: the deployment must not be opened',
  });
});
