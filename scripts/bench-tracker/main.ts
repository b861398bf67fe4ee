import { cpus } from 'node:os';
import { benchWithDatabase } from '../bench-database';
import { large, manyApprovals, manyIdenticalSwaps, poisonedReceipt, type MeasuredPass, slowNode } from './scenarios';

/** Open actions that wait for the same transaction. */
const OPEN_ACTIONS = 20_000;
/** Bound of a pass over these actions: of its CPU time, which other load of the machine hardly changes. */
const MAX_PASS_MS = 2000;

/** Measures passes of the tracker over blocks and nodes that could stop a chain. */
async function bench(): Promise<void> {
  const one = await manyApprovals(1);
  const many = await manyApprovals(OPEN_ACTIONS);
  const rest = [await manyIdenticalSwaps(OPEN_ACTIONS), await large(), await slowNode(), await poisonedReceipt()];
  const scenarios = [one, many, ...rest];
  console.log(`${String(cpus().length)} cores, Node ${process.version}\n`);
  console.log(table(scenarios));
  const each = (1000 * (timeOf(many) - timeOf(one))) / OPEN_ACTIONS;
  console.log(`\nEach of ${OPEN_ACTIONS.toLocaleString('en')} open actions takes ${each.toFixed(0)} µs of CPU time.`);
  const wrong = scenarios.filter(({ problem }) => problem !== undefined);
  for (const { title, problem } of wrong) console.error(`\n${title}: ${problem ?? ''}`);
  const isSlow = timeOf(many) > MAX_PASS_MS;
  if (isSlow) console.error(`\nThe pass over the approval took more than ${MAX_PASS_MS} ms.`);
  if (wrong.length > 0 || isSlow) process.exitCode = 1;
}

const timeOf = ({ cpuMs, passMs }: MeasuredPass): number => (Number.isNaN(cpuMs) ? passMs : cpuMs);

function table(scenarios: readonly MeasuredPass[]): string {
  const width = Math.max(...scenarios.map(({ title }) => title.length));
  const line = (title: string, ...cells: readonly string[]): string =>
    `| ${title.padEnd(width)} | ${cells.map((cell) => cell.padStart(9)).join(' | ')} |`;
  return [
    line('scenario', 'pass, ms', 'CPU, ms', 'requests', 'set aside'),
    `| ${'-'.repeat(width)} | ${Array.from({ length: 4 }, () => `${'-'.repeat(8)}:`).join(' | ')} |`,
    ...scenarios.map(({ title, passMs, cpuMs, requests, quarantined }) =>
      line(title, passMs.toFixed(0), cpuMs.toFixed(0), String(requests), String(quarantined)),
    ),
  ].join('\n');
}

void benchWithDatabase(bench);
