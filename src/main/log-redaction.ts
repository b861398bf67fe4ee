import { errorRecord } from './error-record';
import { isTaxNumber, REDACTED, redactText, SUSPECT } from './redact-text';
import { isRedactedName } from './redacted-names';

/** Objects below are replaced: no useful part of a log record is that deep. */
const MAX_DEPTH = 8;
/** Characters of a text in the log. It is cut after it was redacted: half of a secret has another form. */
const MAX_TEXT = 4000;
/** Characters of a line whose texts are redacted one by one. */
const MAX_LINE = 200_000;

/** The fields of a record without the values of such properties, at any depth. Errors are reduced to their records. */
export const redactFields = (fields: object): Record<string, unknown> => redactObject(fields, 0);

function redactObject(fields: object, depth: number): Record<string, unknown> {
  // Unlike an assignment, this keeps a property `__proto__` a property.
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]: [string, unknown]) => {
      const isRedacted = value !== undefined && isRedactedName(name);
      return [name, isRedacted ? REDACTED : redactValue(value, depth + 1)];
    }),
  );
}

function redactValue(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Error) return errorRecord(value);
  if (depth > MAX_DEPTH) return '[too deep]';
  if (Array.isArray(value)) return value.map((each: unknown) => redactValue(each, depth + 1));
  return hasOwnForm(value) ? value : redactObject(value, depth);
}

/** A date, a URL or a buffer, which says itself how it is written. */
const hasOwnForm = (value: object): boolean => 'toJSON' in value && typeof value.toJSON === 'function';

/** A text of a line with its quotes, or a number of eleven digits. */
const TEXTS = /"(?:\\.|[^"\\])*"|(?<=[:,[])\d{11}(?=[,}\]])/g;

/** A line of the log, which is JSON, without credentials and personal data in its texts. It stays JSON. */
export function redactLine(line: string): string {
  if (line.length <= MAX_TEXT && !SUSPECT.test(line)) return line;
  return shortLine(line).replace(TEXTS, (value) => {
    if (!value.startsWith('"')) return isTaxNumber(value) ? `"${REDACTED}"` : value;
    return value.length > MAX_TEXT || SUSPECT.test(value) ? redactQuoted(value) : value;
  });
}

/** The text is redacted without its escapes, so that none of them is cut in two. */
function redactQuoted(quoted: string): string {
  const text = parseJson(quoted);
  if (typeof text !== 'string') return `"${REDACTED}"`;
  const redacted = redactText(text.slice(0, 5 * MAX_TEXT));
  if (redacted.length > MAX_TEXT) return JSON.stringify(`${redacted.slice(0, MAX_TEXT)}…`);
  return redacted === text ? quoted : JSON.stringify(redacted);
}

/** A line that is too long without its fields. */
function shortLine(line: string): string {
  if (line.length <= MAX_LINE) return line;
  const { level, time, service, requestId, msg } = Object(parseJson(line)) as Readonly<Record<string, unknown>>;
  const start = typeof msg === 'string' ? msg.slice(0, MAX_LINE / 10) : undefined;
  return `${JSON.stringify({ level, time, service, requestId, length: line.length, msg: start })}\n`;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
