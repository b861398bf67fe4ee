import { cpus } from 'node:os';
import { benchWithDatabase } from '../bench-database';
import { measurePages } from './measure-pages';
import { backlog, type MeasuredLedger, tip } from './scenarios';

/** Calls of a block that no number of wallets may exceed. */
const MAX_CALLS = 5;
/** Blocks a second that a backlog is read at, at least. */
const MIN_BLOCKS_PER_SECOND = 100;
const MAX_PAGE_MS = 20;

/** Measures what the ledger takes for a block: at the tip with more and more wallets, and for a backlog. */
async function bench(): Promise<void> {
  const measured: MeasuredLedger[] = [];
  for (const wallets of [10, 1000, 10_000]) measured.push(await tip(wallets));
  const missed = await backlog(1000);
  measured.push(missed);
  console.log(`${String(cpus().length)} cores, Node ${process.version}; a block has 300 transfers\n`);
  console.log(
    '| scenario                               | calls a block | CPU a block, ms | time, ms | blocks a second |',
  );
  console.log(
    '| -------------------------------------- | ------------: | --------------: | -------: | --------------: |',
  );
  for (const { title, callsPerBlock, cpuPerBlockMs, totalMs, blocksPerSecond } of measured) {
    const cells = [callsPerBlock.toFixed(2).padStart(13), cpuPerBlockMs.toFixed(1).padStart(15)];
    const times = [totalMs.toFixed(0).padStart(8), blocksPerSecond.toFixed(0).padStart(15)];
    console.log(`| ${[title.padEnd(38), ...cells, ...times].join(' | ')} |`);
  }
  const pages = await measurePages();
  console.log('\nA page of 20 of 300,000 movements of a wallet:\n');
  for (const { title, pageMs } of pages) console.log(`- ${title}: ${pageMs.toFixed(1)} ms`);
  const slow = pages.filter(({ pageMs }) => pageMs > MAX_PAGE_MS);
  const problems = measured.flatMap(({ title, callsPerBlock, problem }) => [
    ...(problem === undefined ? [] : [`${title}: ${problem}`]),
    ...(callsPerBlock > MAX_CALLS ? [`${title}: ${callsPerBlock.toFixed(2)} calls a block`] : []),
  ]);
  if (missed.blocksPerSecond < MIN_BLOCKS_PER_SECOND) {
    problems.push(`A backlog is read at less than ${String(MIN_BLOCKS_PER_SECOND)} blocks a second.`);
  }
  for (const problem of problems) console.error(problem);
  for (const { title } of slow) console.error(`A page (${title}) takes more than ${String(MAX_PAGE_MS)} ms.`);
  if (problems.length + slow.length > 0) process.exitCode = 1;
}

void benchWithDatabase(bench);
