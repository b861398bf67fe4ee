import { GraphQLError, type GraphQLScalarType } from 'graphql';
import { type ValueReader, addIssue } from './findings';
import { problemOfJson, problemOfText } from '../../edge/text-safety';

const MAX_INT = 2 ** 31 - 1;
const MIN_INT = -(2 ** 31);

const isInt = (value: unknown): boolean =>
  Number.isInteger(value) && Math.abs((value as number) + 0.5) <= MAX_INT + 0.5;

/** Accepted values of the built-in scalars, by name, with the message of a refusal. */
const BUILT_IN: Readonly<Record<string, { readonly accepts: (value: unknown) => boolean; readonly expected: string }>> =
  {
    Int: { accepts: isInt, expected: `must be a whole number from ${MIN_INT} to ${MAX_INT}` },
    Float: { accepts: Number.isFinite, expected: 'must be a number' },
    Boolean: { accepts: (value) => typeof value === 'boolean', expected: 'must be true or false' },
    String: { accepts: (value) => typeof value === 'string', expected: 'must be a string' },
    ID: { accepts: (value) => typeof value === 'string', expected: 'must be a string' },
  };

/** Compiles a reader of scalars. A custom scalar decides with its `parseValue`, whose error is the message. */
export function scalarReader(type: GraphQLScalarType): ValueReader {
  const check = BUILT_IN[type.name] === undefined ? customCheck(type) : builtInCheck(type.name);
  return (given, path, findings) => {
    const problem = check(given);
    return problem === undefined ? given : addIssue(findings, path, problem);
  };
}

function builtInCheck(name: string): (given: unknown) => string | undefined {
  return (given) => {
    const { accepts, expected } = BUILT_IN[name] ?? {};
    if (accepts?.(given) !== true) return expected;
    return typeof given === 'string' ? problemOfText(given) : undefined;
  };
}

function customCheck(type: GraphQLScalarType): (given: unknown) => string | undefined {
  const takesAnyJson = type.name === 'JSON';
  return (given) => {
    if (!takesAnyJson && typeof given === 'object') return 'must be a single value';
    return problemOfJson(given) ?? refusalOf(type, given);
  };
}

function refusalOf(type: GraphQLScalarType, given: unknown): string | undefined {
  try {
    type.parseValue(given);
    return undefined;
  } catch (error) {
    if (error instanceof GraphQLError) return error.message;
    throw error;
  }
}
