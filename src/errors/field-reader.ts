import type { ValidationIssue } from './validation';

/** Arguments of a request as the caller sent them. An empty text and null mean "not given". */
export type RawFields = Readonly<Record<string, string | boolean | null | undefined>>;

/** Reads arguments one by one and collects what is wrong, so that a caller learns everything at once. */
export interface FieldReader {
  readonly issues: readonly ValidationIssue[];
  /** True when the argument was given, even when it cannot be read. */
  has(name: string): boolean;
  /** The text given, at most `maxLength` characters long. A malformed text is a problem and counts as not given. */
  text(name: string, maxLength?: number): string | undefined;
  /** The text as `parse` understands it; when it does not, `otherwise` is the problem. */
  parsed<Value>(name: string, parse: (text: string) => Value | undefined, otherwise: string): Value | undefined;
  oneOf<Value extends string>(name: string, values: readonly Value[]): Value | undefined;
  flag(name: string): boolean;
  problem(path: string, message: string): void;
}

const DEFAULT_MAX_LENGTH = 256;
// Control characters and halves of surrogate pairs: PostgreSQL stores neither, and no field needs them.
const UNSTORABLE = /[\p{Cc}\p{Cs}]/u;

export function createFieldReader(fields: RawFields): FieldReader {
  const issues: ValidationIssue[] = [];
  const reader: FieldReader = {
    issues,
    has: (name) => fields[name] !== undefined && fields[name] !== null && fields[name] !== '',
    text(name, maxLength = DEFAULT_MAX_LENGTH) {
      const value = fields[name];
      if (!reader.has(name)) return undefined;
      const wrong = textProblem(value, maxLength);
      if (wrong !== undefined) reader.problem(name, wrong);
      return typeof value === 'string' && wrong === undefined ? value : undefined;
    },
    parsed(name, parse, otherwise) {
      const text = reader.text(name);
      if (text === undefined) return undefined;
      const value = parse(text);
      if (value === undefined) reader.problem(name, otherwise);
      return value;
    },
    oneOf: (name, values) =>
      reader.parsed(name, (text) => values.find((value) => value === text), `must be one of ${values.join(', ')}`),
    flag(name) {
      const value = fields[name];
      if (reader.has(name) && typeof value !== 'boolean') reader.problem(name, 'must be true or false');
      return value === true;
    },
    problem(path, message) {
      issues.push({ path, message });
    },
  };
  return reader;
}

function textProblem(value: unknown, maxLength: number): string | undefined {
  if (typeof value !== 'string') return 'must be a text';
  if (value.length > maxLength) return `must be at most ${maxLength} characters long`;
  return UNSTORABLE.test(value) ? 'must not contain control characters' : undefined;
}
