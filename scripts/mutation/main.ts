import 'reflect-metadata';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import startDatabase from '../../test/setup/database';
import stopDatabase from '../../test/setup/database-teardown';
import { GROUPS, type MutationGroup } from './groups';
import { type Mutant, runStryker } from './run-stryker';

/** Least share of mutants that tests must find, in percent. */
const MIN_SCORE = 85;

interface Score {
  readonly name: string;
  readonly mutants: number;
  readonly killed: number;
  readonly survived: number;
  readonly percent: number;
  readonly minutes: number;
}

/** Tests the mutants of the given groups, or of all, and prints a table. Ends with 1 when a group misses the least score. */
async function main(names: readonly string[]): Promise<void> {
  const unknown = names.filter((name) => GROUPS[name] === undefined);
  if (unknown.length > 0) {
    console.error(`Usage: npm run mutation [${Object.keys(GROUPS).join('|')}] ...`);
    process.exit(2);
  }
  const scores: (Score | undefined)[] = [];
  for (const [name, group] of Object.entries(GROUPS)) {
    if (names.length === 0 || names.includes(name)) scores.push(await score(name, group));
  }
  const measured = scores.filter((each) => each !== undefined);
  console.log(table(measured));
  const isMet = measured.length === scores.length && measured.every(({ percent }) => percent >= MIN_SCORE);
  if (!isMet) console.log(`\nA group is below ${String(MIN_SCORE)} %, or its tests fail without a mutant.`);
  process.exit(isMet ? 0 : 1);
}

/** `undefined` when the tests fail without a mutant. */
async function score(name: string, group: MutationGroup): Promise<Score | undefined> {
  const directory = mkdtempSync(path.join(tmpdir(), 'afluente-mutation-'));
  const startedAt = performance.now();
  try {
    if (group.usesDatabase) await startDatabase();
    const mutants = await runStryker(group, directory);
    if (mutants === undefined) return undefined;
    for (const mutant of mutants.filter(isSurvivor)) console.log(describe(mutant));
    return scoreOf(name, mutants, (performance.now() - startedAt) / 60_000);
  } finally {
    if (group.usesDatabase) await stopDatabase();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** A mutant that makes the tests run without an end is found by their time limit. */
const isKilled = ({ status }: Mutant): boolean => status === 'Killed' || status === 'Timeout';
const isSurvivor = ({ status }: Mutant): boolean => status === 'Survived' || status === 'NoCoverage';

const describe = ({ file, line, mutator, replacement }: Mutant): string =>
  `survived  ${file}:${String(line)}  ${mutator}: ${replacement.replace(/\s+/g, ' ').slice(0, 100)}`;

function scoreOf(name: string, all: readonly Mutant[], minutes: number): Score {
  const [killed, survived] = [all.filter(isKilled).length, all.filter(isSurvivor).length];
  const mutants = killed + survived;
  return { name, mutants, killed, survived, percent: mutants === 0 ? 0 : (killed * 100) / mutants, minutes };
}

/** The table of the scores in Markdown. */
function table(scores: readonly Score[]): string {
  const rows = scores.map(({ name, mutants, killed, survived, percent, minutes }) => [
    name,
    ...[mutants, killed, survived].map(String),
    `${percent.toFixed(1)} %`,
    minutes.toFixed(1),
  ]);
  const header = ['group', 'mutants', 'killed', 'survived', 'score', 'minutes'];
  const widths = header.map((title, column) =>
    Math.max(...[header, ...rows].map((row) => (row[column] ?? title).length)),
  );
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  return [line(header), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}

void main(process.argv.slice(2));
