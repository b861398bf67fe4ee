import type { Measurement } from './measure';
import type { MeasuredOperation } from './operations';

/** The row of an operation in the table. */
export interface Comparison {
  readonly operation: MeasuredOperation;
  readonly measurement: Measurement;
  /** Ratio to the handler on the same edge: the median of the rounds' ratios. */
  readonly ratio: number;
  /** Ratio to the handler on a Fastify that does nothing else. */
  readonly bareRatio: number;
}

export const compare = (operation: MeasuredOperation, measurement: Measurement): Comparison => ({
  operation,
  measurement,
  ratio: ratioOf(measurement.generated, measurement.edge),
  bareRatio: ratioOf(measurement.generated, measurement.bare),
});

export const exceedsBound = ({ operation: { bound }, ratio }: Comparison): boolean =>
  bound !== undefined && ratio > bound;

const ratioOf = (costs: readonly number[], references: readonly number[]): number =>
  median(costs.map((cost, round) => cost / (references[round] ?? cost)));

function median(values: readonly number[]): number {
  const sorted = values.toSorted((first, second) => first - second);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? NaN) + upper) / 2;
}

const HEADER = ['CPU per request', 'bare', 'by hand', 'generated', 'ratio', 'bound', 'ratio to bare'];

/** Formats a table in Markdown. */
export function table(comparisons: readonly Comparison[]): string {
  const rows = [HEADER, ...comparisons.map(cells)];
  const widths = HEADER.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0))).join(' | ')} |`;
  const rule = `| ${widths.map((width, column) => (column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`)).join(' | ')} |`;
  const [header = [], ...body] = rows;
  return [line(header), rule, ...body.map(line)].join('\n');
}

function cells({ operation, measurement, ratio, bareRatio }: Comparison): readonly string[] {
  const { bare, edge, generated } = measurement;
  const times = [bare, edge, generated].map((rounds) => `${median(rounds).toFixed(0)} µs`);
  const bound = operation.bound === undefined ? '' : `≤ ${operation.bound}`;
  return [operation.title, ...times, ratio.toFixed(2), bound, bareRatio.toFixed(2)];
}
