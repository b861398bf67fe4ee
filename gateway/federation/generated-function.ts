import { InvariantError } from '../../src/errors/invariant-error';

/** A generated program, with the values that it refers to by name. */
export interface GeneratedProgram {
  /** Body of a function that returns the result. */
  readonly body: string;
  readonly values: Readonly<Record<string, unknown>>;
}

/**
 * Runs generated code; no other place does. Code generators must write every name that comes from a caller or a schema with
 * `literal`, and use it only as a string.
 */
export function runGeneratedProgram({ body, values }: GeneratedProgram): unknown {
  const program = new Function(...Object.keys(values), body) as (...values: unknown[]) => unknown;
  return program(...Object.values(values));
}

const NAME = /^[_A-Za-z][_0-9A-Za-z]*$/;

export const isName = (text: string): boolean => NAME.test(text) && text !== '__proto__';

/** Program text for a name of a schema or document. */
export function literal(name: string): string {
  if (!isName(name)) throw new InvariantError(`${JSON.stringify(name)} is not a name`);
  return JSON.stringify(name);
}

/** Program text for any other text. */
export const textLiteral = (text: string): string => JSON.stringify(text);
