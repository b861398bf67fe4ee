import { totalAmount } from '../../src/venues/providers/afluente/plan-quote';
import type { Measured } from './measure';

/** Gain of a trade over its best single path, in basis points of the path's output, after gas. */
export const netGainBps = ({ best, single }: Measured): number =>
  bps(best.net - single.net, totalAmount(single.splits, 'amountOut'));

/** The same gain without gas. */
const grossGainBps = ({ best, single }: Measured): number => {
  const [mine, others] = [totalAmount(best.splits, 'amountOut'), totalAmount(single.splits, 'amountOut')];
  return bps(mine - others, others);
};

/** With four decimals. */
const bps = (gain: bigint, of: bigint): number => Number.parseInt(((gain * 100_000_000n) / of).toString(), 10) / 10_000;

/** The figures of all trades, as Markdown. */
export function report(measured: readonly Measured[]): string {
  const improved = measured.filter(({ best }) => best.splits.length > 1);
  const splits = [1, 2, 3].map((count) => share(measured, ({ best }) => best.splits.length === count));
  return [
    table(
      ['ms', 'p50', 'p99', 'max'],
      [
        ['search alone', ...times(measured.map(({ searchMs }) => searchMs))],
        ['with reading the pools of a new block', ...times(measured.map(({ wholeMs }) => wholeMs))],
      ],
    ),
    table(
      ['gain over the best single path, bps', 'mean', 'p50', 'p95', 'max'],
      [
        ['all trades, after gas', ...gains(measured.map(netGainBps))],
        ['all trades, without gas', ...gains(measured.map(grossGainBps))],
        ['split trades, after gas', ...gains(improved.map(netGainBps))],
      ],
    ),
    `${share(measured, ({ best }) => best.splits.length > 1)} of the trades gain from a split; one split ${splits[0] ?? ''}, two ${splits[1] ?? ''}, three ${splits[2] ?? ''}.`,
  ].join('\n\n');
}

const times = (values: readonly number[]): readonly string[] =>
  [quantile(values, 0.5), quantile(values, 0.99), Math.max(...values)].map((value) => value.toFixed(1));

const gains = (values: readonly number[]): readonly string[] => {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return [mean, quantile(values, 0.5), quantile(values, 0.95), Math.max(...values)].map((value) => value.toFixed(2));
};

function share(measured: readonly Measured[], applies: (each: Measured) => boolean): string {
  return `${((100 * measured.filter(applies).length) / measured.length).toFixed(1)} %`;
}

function quantile(values: readonly number[], rank: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(rank * sorted.length))] ?? NaN;
}

function table(header: readonly string[], body: readonly (readonly string[])[]): string {
  const rows = [header, ...body];
  const widths = header.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const pad = (cell: string, column: number): string =>
    column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0);
  const line = (row: readonly string[]): string => `| ${row.map(pad).join(' | ')} |`;
  const rule = `| ${widths.map((width, column) => (column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`)).join(' | ')} |`;
  return [line(header), rule, ...body.map(line)].join('\n');
}
