import type { z } from 'zod';

type Issue = z.core.$ZodRawIssue;

/**
 * A problem of a setting in words, to follow its name: "must be at most 65535". Used for settings whose schema has no message
 * of its own.
 */
export function describeIssue(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return describeType(issue);
    case 'too_small':
      return `must be ${issue.inclusive === false ? 'more than' : 'at least'} ${bound(issue.origin, issue.minimum)}`;
    case 'too_big':
      return `must be ${issue.inclusive === false ? 'less than' : 'at most'} ${bound(issue.origin, issue.maximum)}`;
    case 'invalid_value':
      return `must be one of ${issue.values.map(String).join(', ')}`;
    case 'unrecognized_keys':
      return `has unknown properties: ${issue.keys.join(', ')}`;
    default:
      return describeFormat(issue);
  }
}

function describeFormat(issue: Issue): string {
  if (issue.code !== 'invalid_format') return issue.message ?? 'is invalid';
  return issue.format === 'url' ? 'must be a URL' : `must match ${issue.pattern ?? issue.format}`;
}

const TYPES: Readonly<Record<string, string>> = {
  number: 'a number',
  int: 'a whole number',
  string: 'a text',
  array: 'a list',
  object: 'an object',
  boolean: 'true or false',
};

function describeType({ input, expected }: Issue & { readonly code: 'invalid_type' }): string {
  return input === undefined ? 'is required' : `must be ${TYPES[expected] ?? expected}`;
}

/** A text or list has a length, a number a value. */
function bound(origin: string, value: number | bigint): string {
  if (origin === 'string') return `${String(value)} characters`;
  return origin === 'array' ? `${String(value)} items` : String(value);
}
