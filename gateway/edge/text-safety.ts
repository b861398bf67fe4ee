const LONE_SURROGATE = /\p{Surrogate}/u;
const MAX_DEPTH = 32;

/** Describes why a text can be neither stored nor hashed; `undefined` when it can. */
export function problemOfText(text: string): string | undefined {
  if (text.includes('\0')) return 'must not contain the NUL character';
  return LONE_SURROGATE.test(text) ? 'must be well-formed Unicode' : undefined;
}

/** Checks the depth of a JSON value, and every text in it including keys. */
export function problemOfJson(value: unknown, depth = 0): string | undefined {
  if (typeof value === 'string') return problemOfText(value);
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth === MAX_DEPTH) return `must not be nested more than ${MAX_DEPTH} levels deep`;
  for (const [key, inner] of Object.entries(value)) {
    const problem = problemOfText(key) ?? problemOfJson(inner, depth + 1);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
