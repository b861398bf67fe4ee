import { cpus } from 'node:os';
import { benchWithDatabase } from '../bench-database';
import { backlog, type MeasuredLedger, tip } from './scenarios';

/** Calls of a block that no number of wallets may exceed. */
const MAX_CALLS = 5;

/** Measures what the ledger takes for a block: at the tip with more and more wallets, and for a backlog. */
async function bench(): Promise<void> {
  const measured: MeasuredLedger[] = [];
  for (const wallets of [10, 1000, 10_000]) measured.push(await tip(wallets));
  measured.push(await backlog(1000));
  console.log(`${String(cpus().length)} cores, Node ${process.version}; a block has 300 transfers\n`);
  console.log('| scenario                              | calls a block | CPU a block, ms | time, ms |');
  console.log('| ------------------------------------- | ------------: | --------------: | -------: |');
  for (const { title, callsPerBlock, cpuPerBlockMs, totalMs } of measured) {
    const cells = [callsPerBlock.toFixed(2).padStart(13), cpuPerBlockMs.toFixed(1).padStart(15)];
    console.log(`| ${title.padEnd(37)} | ${cells.join(' | ')} | ${totalMs.toFixed(0).padStart(8)} |`);
  }
  const problems = measured.flatMap(({ title, callsPerBlock, problem }) => [
    ...(problem === undefined ? [] : [`${title}: ${problem}`]),
    ...(callsPerBlock > MAX_CALLS ? [`${title}: ${callsPerBlock.toFixed(2)} calls a block`] : []),
  ]);
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
}

void benchWithDatabase(bench);
