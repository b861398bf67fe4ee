import type { DestinationStream } from 'pino';
import { z } from 'zod';
import { escapeHiddenCharacters } from '../ramps/hidden-characters';

const LEVELS: Readonly<Record<number, string>> = { 10: 'TRACE', 20: 'DEBUG', 30: 'INFO', 40: 'WARN', 50: 'ERROR' };

/** The latest time of a `Date`, in milliseconds since 1970. */
const MAX_TIME = 8.64e15;

const recordSchema = z.looseObject({
  level: z.number(),
  time: z.number().min(0).max(MAX_TIME),
  msg: z.string().default(''),
  err: z.unknown().optional(),
});
type LogRecord = z.infer<typeof recordSchema>;
const errorSchema = z.object({ stack: z.string() });
/** The same in all records. */
const SERVICE = 'service';

/**
 * A destination of the log for people: each record is one line, followed by the stack of its error. Hidden characters are
 * escaped: a third party's text could clear the terminal or pose as another record. Never throws.
 */
export const readableLog = (out: { write(text: string): unknown }): DestinationStream => ({
  write(json) {
    const record = parseRecord(json);
    out.write(`${record === undefined ? escapeHiddenCharacters(json.trimEnd()) : readableRecord(record)}\n`);
  },
});

/** `undefined` for a text that is no record of the log. */
function parseRecord(json: string): LogRecord | undefined {
  try {
    return recordSchema.safeParse(JSON.parse(json)).data;
  } catch {
    return undefined;
  }
}

/** `18:25:43.120 INFO  ready role=all url=http://127.0.0.1:4000` */
function readableRecord({ level, time, msg, err, ...fields }: LogRecord): string {
  const at = new Date(time).toISOString().slice(11, 23);
  const shown = Object.entries(fields)
    .filter(([name]) => name !== SERVICE)
    .map(([name, value]) => `${name}=${readableValue(value)}`);
  const line = escapeHiddenCharacters([at, (LEVELS[level] ?? 'FATAL').padEnd(5), msg, ...shown].join(' '));
  const stack = errorSchema.safeParse(err).data?.stack;
  return err === undefined ? line : `${line}\n${readableStack(stack ?? JSON.stringify(err))}`;
}

/** Plain for a text of visible ASCII characters without spaces, else JSON. */
const readableValue = (value: unknown): string =>
  typeof value === 'string' && /^[\x21-\x7e]+$/.test(value) ? value : JSON.stringify(value);

/** The lines of a stack, indented. */
const readableStack = (stack: string): string =>
  stack
    .split('\n')
    .map((line) => `  ${escapeHiddenCharacters(line)}`)
    .join('\n');
