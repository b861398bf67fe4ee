import { z } from 'zod';
import { countDueRows, MAX_COUNTED } from '../persistence/retention/count-due-rows';
import { type Command, defineCommand } from './command';
import { renderTable } from './render-table';

const SECONDS_PER_DAY = 86_400;
const SECONDS_PER_HOUR = 3600;
const BYTES_PER_MB = 1_048_576;

const status = defineCommand({
  name: 'retention status',
  ignoresSecrets: true,
  summary: 'Shows how many rows wait for their removal, and the sizes of all tables.',
  positionals: [],
  options: {},
  input: z.object({}),
  async run({ pool, retention: settings }) {
    const report = await countDueRows({ pool, settings });
    const rules = report.rules.map(({ rule, table, seconds, due }) => [
      ...[rule, table, periodOf(seconds), due < MAX_COUNTED ? String(due) : `${String(MAX_COUNTED)} or more`],
    ]);
    const tables = report.tables.map(({ table, rows, bytes }) => [
      ...[table, String(rows), `${(bytes / BYTES_PER_MB).toFixed(1)} MB`],
    ]);
    const rulesText = renderTable([['rule', 'table', 'kept for', 'due rows'], ...rules]);
    const tablesText = renderTable([['table', 'rows (estimate)', 'size with indexes'], ...tables]);
    return { data: report, text: `${rulesText}\n\n${tablesText}` };
  },
});

const periodOf = (seconds: number): string =>
  seconds % SECONDS_PER_DAY === 0
    ? `${String(seconds / SECONDS_PER_DAY)} days`
    : `${String(seconds / SECONDS_PER_HOUR)} hours`;

export const RETENTION_COMMANDS: readonly Command[] = [status];
