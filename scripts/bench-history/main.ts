import { cpus } from 'node:os';
import { createTestDatabase } from '../../test/setup/test-database';
import { runForCustomer } from '../../src/persistence/customer-scope';
import { openScopedDatabase } from '../../src/persistence/database';
import { benchWithDatabase } from '../bench-database';
import { CUSTOMER, fill } from './fill';
import { type MeasuredPage, measureLists } from './measure-lists';
import { measureTransitions } from './measure-transitions';

const MAX_PAGE_MS = 5;
const MAX_RATIO = 1.2;
const MAX_TRANSITION_RATIO = 1.3;

/** Measures lists of the actions of wallets with 10,000 and 1,000,000 actions, and what a change of status costs. */
async function bench(): Promise<void> {
  const test = await createTestDatabase();
  try {
    await fill(test.url);
    console.log(
      `${String(cpus().length)} cores, Node ${process.version}; milliseconds of the fastest of 20 runs; changes of status: lower quartile\n`,
    );
    const usual = await measureLists(test.database);
    console.log(`Without row-level security:\n\n${table(usual)}`);
    const pages = await measureAsRequests(test.url);
    console.log(`\nAs requests are served:\n\n${table(pages)}`);
    const { withParties, without } = await measureTransitions(test.database, test.pool);
    const ratio = withParties / without;
    console.log(
      `\nA change of status takes ${withParties.toFixed(2)} ms, ${without.toFixed(2)} ms without parties and counters: ratio ${ratio.toFixed(2)}.`,
    );
    report([
      ...[...usual, ...pages].flatMap(problemsOf),
      ...(ratio > MAX_TRANSITION_RATIO
        ? [`a change of status takes ${ratio.toFixed(2)} times as long as without`]
        : []),
    ]);
  } finally {
    await test.drop();
  }
}

/** Under row-level security, as the role and for the customer of a request. */
async function measureAsRequests(url: string): Promise<readonly MeasuredPage[]> {
  const scoped = openScopedDatabase({ url, poolSize: 4, servicePoolSize: 1, log: console });
  try {
    return await runForCustomer(CUSTOMER, () => measureLists(scoped.database));
  } finally {
    await scoped.close();
  }
}

function problemsOf({ title, page, smallMs, largeMs }: MeasuredPage): readonly string[] {
  const name = `${title}, page ${page}`;
  return [
    ...(Math.max(smallMs, largeMs) > MAX_PAGE_MS ? [`${name}: more than ${String(MAX_PAGE_MS)} ms`] : []),
    ...(largeMs / smallMs > MAX_RATIO
      ? [`${name}: 1,000,000 actions take ${(largeMs / smallMs).toFixed(2)} times as long`]
      : []),
  ];
}

function report(problems: readonly string[]): void {
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
}

function table(pages: readonly MeasuredPage[]): string {
  const width = Math.max(...pages.map(({ title }) => title.length));
  const line = (title: string, ...cells: readonly string[]): string =>
    `| ${title.padEnd(width)} | ${cells.map((cell) => cell.padStart(9)).join(' | ')} |`;
  return [
    line('list', 'page', '10,000', '1,000,000', 'ratio'),
    `| ${'-'.repeat(width)} | ${Array.from({ length: 4 }, () => `${'-'.repeat(8)}:`).join(' | ')} |`,
    ...pages.map(({ title, page, smallMs, largeMs }) =>
      line(title, page, smallMs.toFixed(2), largeMs.toFixed(2), (largeMs / smallMs).toFixed(2)),
    ),
  ].join('\n');
}

void benchWithDatabase(bench);
