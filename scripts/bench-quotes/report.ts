const SHOWN = [50, 90, 99, 100] as const;

/** Returns the value at a percentile. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((first, second) => first - second);
  return sorted[Math.max(Math.ceil((percent / 100) * sorted.length) - 1, 0)] ?? NaN;
}

/** Formats values in milliseconds as a table in Markdown. */
export function table(rows: readonly (readonly [title: string, values: readonly number[]])[]): string {
  const header = ['ms', ...SHOWN.map((percent) => (percent === 100 ? 'max' : `p${percent}`))];
  const body = rows.map(([title, values]) => [
    title,
    ...SHOWN.map((percent) => percentile(values, percent).toFixed(1)),
  ]);
  const width = Math.max(...body.map(([title = '']) => title.length));
  const line = ([title = '', ...cells]: readonly string[]): string =>
    `| ${title.padEnd(width)} | ${cells.map((cell) => cell.padStart(6)).join(' | ')} |`;
  const rule = `| ${'-'.repeat(width)} | ${SHOWN.map(() => `${'-'.repeat(5)}:`).join(' | ')} |`;
  return [line(header), rule, ...body.map(line)].join('\n');
}
