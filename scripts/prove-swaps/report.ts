import type { ProvedSwap } from './proved-swap';

const HEADER = ['provider', 'output', 'swaps', 'refused, then', 'impact, bps', 'pool, bps', 'dollars'] as const;

/** A table of providers and outputs, in Markdown: the number of executed swaps, and the largest deviations. */
export function report(swaps: readonly ProvedSwap[]): string {
  const groups = new Map<string, ProvedSwap[]>();
  for (const swap of swaps) {
    const key = `${swap.proved.provider} ${swap.proved.output}`;
    groups.set(key, [...(groups.get(key) ?? []), swap]);
  }
  const rows = [...groups]
    .sort(([one], [other]) => one.localeCompare(other))
    .map(([key, group]) => [...key.split(' '), ...figuresOf(group)]);
  return table([[...HEADER], ...rows, ['all', '', ...figuresOf(swaps)]]);
}

function figuresOf(swaps: readonly ProvedSwap[]): readonly string[] {
  const largest = (values: readonly number[]): number => values.reduce((max, value) => Math.max(max, value), 0);
  const above = swaps.filter(({ kind }) => kind !== 'within the bound').length;
  const inPools = swaps.flatMap(({ poolDeviation }) => (poolDeviation === undefined ? [] : [poolDeviation]));
  return [
    String(swaps.length),
    String(above),
    largest(swaps.map(({ impactDeviation }) => impactDeviation)).toFixed(2),
    inPools.length === 0 ? '-' : largest(inPools).toFixed(2),
    largest(swaps.map(({ dollarDeviation }) => dollarDeviation)).toFixed(6),
  ];
}

function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, column) => (column < 2 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join(' | ')} |`;
  const rule = `| ${widths.map((width, column) => (column < 2 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`)).join(' | ')} |`;
  const [header = [], ...body] = rows;
  return [line(header), rule, ...body.map(line)].join('\n');
}
