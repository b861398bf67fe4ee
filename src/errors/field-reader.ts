import type { ValidationIssue } from './validation';

/** Arguments of a request as the caller sent them. An empty string and null mean "not given". */
export type RawFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** Reads arguments one by one and collects their validation issues, so that one response reports all of them. */
export interface FieldReader {
  readonly issues: readonly ValidationIssue[];
  /** True when the argument was given, even if it is malformed. */
  has(name: string): boolean;
  /** Returns a string of at most `maxLength` characters. A malformed value adds an issue and counts as not given. */
  text(name: string, maxLength?: number): string | undefined;
  /** Returns the parsed value; adds `issue`, which may depend on the text, when `parse` returns `undefined`. */
  parsed<Value>(
    name: string,
    parse: (text: string) => Value | undefined,
    issue: string | ((text: string) => string),
  ): Value | undefined;
  oneOf<Value extends string>(name: string, values: readonly Value[]): Value | undefined;
  /** Returns a whole number within the bounds. Any other value adds an issue and counts as not given. */
  integer(name: string, bounds: { readonly minimum: number; readonly maximum: number }): number | undefined;
  flag(name: string): boolean;
  addIssue(path: string, message: string): void;
}

const DEFAULT_MAX_LENGTH = 256;
// Control characters and lone surrogates: PostgreSQL cannot store them, and no field needs them.
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
      if (wrong !== undefined) reader.addIssue(name, wrong);
      return typeof value === 'string' && wrong === undefined ? value : undefined;
    },
    parsed(name, parse, issue) {
      const text = reader.text(name);
      if (text === undefined) return undefined;
      const value = parse(text);
      if (value === undefined) reader.addIssue(name, typeof issue === 'string' ? issue : issue(text));
      return value;
    },
    oneOf: (name, values) =>
      reader.parsed(name, (text) => values.find((value) => value === text), `must be one of ${values.join(', ')}`),
    integer(name, { minimum, maximum }) {
      const value = fields[name];
      if (!reader.has(name)) return undefined;
      const isWithin = typeof value === 'number' && Number.isInteger(value) && value >= minimum && value <= maximum;
      if (!isWithin) reader.addIssue(name, `must be a whole number from ${minimum} to ${maximum}`);
      return isWithin ? value : undefined;
    },
    flag(name) {
      const value = fields[name];
      if (reader.has(name) && typeof value !== 'boolean') reader.addIssue(name, 'must be true or false');
      return value === true;
    },
    addIssue(path, message) {
      issues.push({ path, message });
    },
  };
  return reader;
}

function textProblem(value: unknown, maxLength: number): string | undefined {
  if (typeof value !== 'string') return 'must be a string';
  if (value.length > maxLength) return `must be at most ${maxLength} characters long`;
  return UNSTORABLE.test(value) ? 'must not contain control characters' : undefined;
}
