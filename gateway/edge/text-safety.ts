const LONE_SURROGATE = /\p{Surrogate}/u;
const MAX_DEPTH = 32;
/** JSON such as `1e999` is parsed to Infinity, which no JSON can express again. */
const TOO_LARGE = 'must not have a number outside the range of a double';

/** Describes why a text can be neither stored nor hashed; `undefined` when it can. */
export function problemOfText(text: string): string | undefined {
  if (text.includes('\0')) return 'must not contain the NUL character';
  return LONE_SURROGATE.test(text) ? 'must be well-formed Unicode' : undefined;
}

/** Checks the depth of a JSON value, its numbers, and every text in it including keys. */
export function problemOfJson(value: unknown, depth = 0): string | undefined {
  if (typeof value === 'string') return problemOfText(value);
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : TOO_LARGE;
  if (typeof value !== 'object' || value === null) return undefined;
  return depth === MAX_DEPTH ? `must not be nested more than ${MAX_DEPTH} levels deep` : problemInside(value, depth);
}

function problemInside(value: object, depth: number): string | undefined {
  for (const [key, inner] of Object.entries(value)) {
    const problem = problemOfText(key) ?? problemOfJson(inner, depth + 1);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
