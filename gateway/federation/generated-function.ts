import { InvariantError } from '../../src/errors/invariant-error';

/** A piece of a generated program, and the values that it refers to, by name. */
export interface GeneratedProgram {
  /** Body of a function that returns what is wanted. */
  readonly body: string;
  readonly values: Readonly<Record<string, unknown>>;
}

/**
 * Makes a function of generated code: the only place that does. Whoever generates code writes every name that a caller
 * or a schema chose with `literal`, and uses it as a string only.
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
