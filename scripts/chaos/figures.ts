import { ChaosFailure } from './chaos-failure';

/** A line of the table that a scenario prints. */
export interface Figure {
  readonly what: string;
  readonly measured: string;
  /** Empty for a figure without a goal. */
  readonly goal: string;
  readonly isMet: boolean;
}

/** A number that must be 0. */
export const none = (what: string, count: number): Figure => ({
  what,
  measured: String(count),
  goal: '0',
  isMet: count === 0,
});

/** A number or text that must be this one. */
export const exactly = <Value extends number | string>(what: string, measured: Value, goal: Value): Figure => ({
  what,
  measured: String(measured),
  goal: String(goal),
  isMet: measured === goal,
});

/** A number without a goal. */
export const plain = (what: string, measured: number | string): Figure => ({
  what,
  measured: String(measured),
  goal: '',
  isMet: true,
});

/** A number that must not exceed a bound. */
export const atMost = (what: string, { value, bound, unit }: BoundedValue): Figure => ({
  what,
  measured: `${value.toFixed(1)} ${unit}`,
  goal: `≤ ${String(bound)} ${unit}`,
  isMet: value <= bound,
});

/** A number that must reach a bound. */
export const atLeast = (what: string, { value, bound, unit }: BoundedValue): Figure => ({
  what,
  measured: `${value.toFixed(1)} ${unit}`,
  goal: `≥ ${String(bound)} ${unit}`,
  isMet: value >= bound,
});

interface BoundedValue {
  readonly value: number;
  readonly bound: number;
  readonly unit: string;
}

/** The lines of a table in Markdown. @throws ChaosFailure with the table when a goal is missed */
export function reportFigures(figures: readonly Figure[]): readonly string[] {
  const rows = figures.map(({ what, measured, goal, isMet }) => [what, measured, isMet ? goal : `${goal} MISSED`]);
  const header = ['figure', 'measured', 'goal'];
  const widths = header.map((title, column) =>
    Math.max(...[header, ...rows].map((row) => (row[column] ?? title).length)),
  );
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const lines = [line(header), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)];
  if (figures.some(({ isMet }) => !isMet)) throw new ChaosFailure(lines.join('\n        '));
  return lines;
}
