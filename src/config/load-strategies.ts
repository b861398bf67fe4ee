import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { ChainTable } from '../chains/chain-table';
import { describeIssue } from './describe-issue';
import { type ConfiguredStrategy, strategySchema } from './strategy-schema';

/** More than all markets together. Bounds what a process stores. */
const MAX_STRATEGIES = 20_000;

/** The strategies of `STRATEGIES_FILE`. Appends the problems that it finds to `problems`. */
export function loadStrategies(
  file: string | undefined,
  chains: Pick<ChainTable, 'byId'>,
  problems: string[],
): readonly ConfiguredStrategy[] {
  if (file === undefined) return [];
  const rows = readFile(file, problems);
  rows.forEach(({ chainId }, index) => {
    const problem = chainProblem(chains, chainId);
    if (problem !== undefined) problems.push(`STRATEGIES_FILE: ${String(index)}.chainId ${problem}`);
  });
  return rows;
}

function readFile(file: string, problems: string[]): readonly ConfiguredStrategy[] {
  try {
    const schema = z.array(strategySchema).max(MAX_STRATEGIES);
    const parsed = schema.safeParse(JSON.parse(readFileSync(file, 'utf8')), { error: describeIssue });
    if (parsed.success) return parsed.data;
    problems.push(...parsed.error.issues.map(({ path, message }) => `STRATEGIES_FILE: ${path.join('.')} ${message}`));
  } catch (error) {
    problems.push(`STRATEGIES_FILE: cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  return [];
}

function chainProblem(chains: Pick<ChainTable, 'byId'>, chainId: number): string | undefined {
  const chain = chains.byId(chainId);
  if (chain === undefined) return 'is not a chain of this deployment. Describe it in CHAINS_FILE';
  return chain.kind === 'evm' ? undefined : 'must be an EVM chain';
}
