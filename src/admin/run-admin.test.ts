import { runAdmin } from './run-admin';

const untouchable = () => Promise.reject(new Error('the deployment must not be opened'));
const run = (...args: string[]) => runAdmin(args, untouchable);

test.each([[['--help']], [['customer', '--help']], [['key', 'list', '--help']], [['key', 'list', '-h', 'x', 'y']]])(
  'explains itself when asked with %j, without a deployment',
  async (args) => {
    const { exitCode, output, errors } = await run(...args);
    expect({ exitCode, errors }).toEqual({ exitCode: 0, errors: '' });
    expect(output).toContain(args[0] === '--help' ? 'key rotate <key>' : args[0]);
  },
);

test('names every option of a command', async () => {
  const { output } = await run('customer', 'limit', '--help');
  for (const option of ['--per-minute', '--per-hour', '--json', '--help']) expect(output).toContain(option);
});

test.each([[[]], [['customer']], [['customer', 'destroy']], [['key', '--json']]])(
  'ends with 2 and names the commands when %j is none',
  async (args) => {
    const { exitCode, output, errors } = await run(...args);
    expect(exitCode).toBe(2);
    expect(output + errors).toContain('key rotate');
  },
);

test('reports everything that is wrong with a command line at once', async () => {
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
    '"extra" is one argument too many',
    '--name is missing',
    '--per-minute must be a whole number from 1, or "default"',
    '--per-hour must be a whole number from 1, or "default"',
  ]);
});

test.each<[string[], string]>([
  [['customer', 'create', '--name'], '--name needs a value'],
  [['customer', 'create', '--name', '--per-hour=5'], '--name needs a value'],
  [['customer', 'create', '--name', ' '], '--name must not be blank'],
  [['customer', 'create', '--name', 'a', '--name', 'b'], '--name is given twice'],
  [['customer', 'suspend'], '<customer> is missing'],
  [['customer', 'limit', 'demo'], '--per-minute or --per-hour is missing'],
  [['key', 'revoke', 'short'], '<key> is not the id of a key'],
  [['key', 'rotate', 'A'.repeat(16), '--overlap', 'soon'], '--overlap must be a duration such as 90d, 24h, 30m or 10s'],
])('%j: %s', async (args, problem) => {
  const { exitCode, errors, output } = await run(...args);
  expect({ exitCode, errors, output }).toEqual({ exitCode: 2, errors: problem, output: '' });
});

test('with --json problems are JSON too', async () => {
  const { exitCode, output, errors } = await run('customer', 'suspend', '--json');
  expect({ exitCode, errors }).toEqual({ exitCode: 2, errors: '' });
  expect(JSON.parse(output)).toEqual({ problems: ['<customer> is missing'] });
});

test('ends with 1 when the deployment cannot be opened', async () => {
  await expect(run('customer', 'list')).resolves.toMatchObject({
    exitCode: 1,
    errors: 'The command failed: the deployment must not be opened',
  });
});
