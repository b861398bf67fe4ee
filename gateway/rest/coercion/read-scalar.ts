import { GraphQLError, type GraphQLScalarType } from 'graphql';
import { type ValueReader, addIssue } from './findings';
import { problemOfJson, problemOfText } from '../../edge/text-safety';

const MAX_INT = 2 ** 31 - 1;
const MIN_INT = -(2 ** 31);

const isInIntRange = (value: number): boolean => Math.abs(value + 0.5) <= MAX_INT + 0.5;

function problemOfInt(value: unknown): string | undefined {
  if (typeof value !== 'number' || !Number.isInteger(value)) return 'must be a whole number';
  return isInIntRange(value) ? undefined : `must be a whole number from ${MIN_INT} to ${MAX_INT}`;
}

function problemOfString(value: unknown): string | undefined {
  return typeof value === 'string' ? problemOfText(value) : 'must be a string';
}

/** The problem of a value that a built-in scalar does not accept, by the name of the scalar; `undefined` when it does. */
const BUILT_IN: Readonly<Record<string, (value: unknown) => string | undefined>> = {
  Int: problemOfInt,
  Float: (value) => (Number.isFinite(value) ? undefined : 'must be a number'),
  Boolean: (value) => (typeof value === 'boolean' ? undefined : 'must be true or false'),
  String: problemOfString,
  ID: problemOfString,
};

/** Compiles a reader of scalars. A custom scalar decides with its `parseValue`, whose error is the message. */
export function scalarReader(type: GraphQLScalarType): ValueReader {
  const check = BUILT_IN[type.name] ?? customCheck(type);
  return (given, path, findings) => {
    const problem = check(given);
    return problem === undefined ? given : addIssue(findings, path, problem);
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
