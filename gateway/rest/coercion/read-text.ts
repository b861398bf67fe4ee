import {
  type GraphQLInputType,
  type GraphQLScalarType,
  isEnumType,
  isListType,
  isNonNullType,
  isScalarType,
} from 'graphql';
import { InvariantError } from '../../../src/errors/invariant-error';
import { type ValueReader, addIssue } from './findings';
import { enumReader } from './read-json';
import { scalarReader } from './read-scalar';

const WHOLE_NUMBER = /^(?:0|-?[1-9][0-9]{0,15})$/;
const NUMBER = /^-?(?:0|[1-9][0-9]{0,15})(?:\.[0-9]{1,18})?$/;

/** How the scalars that are not texts are written in a URL. What does not match stays a text, and the scalar refuses it. */
const WRITTEN: Readonly<Record<string, (text: string) => unknown>> = {
  Int: (text) => (WHOLE_NUMBER.test(text) ? Number.parseInt(text, 10) : text),
  SafeInt: (text) => (WHOLE_NUMBER.test(text) ? Number.parseInt(text, 10) : text),
  Float: (text) => (NUMBER.test(text) ? (JSON.parse(text) as number) : text),
  Boolean: (text) => (text === 'true' ? true : text === 'false' ? false : text),
};

/** Reads an argument of this type from a query parameter (a text, or several) or from a segment of the path. */
export function textReader(type: GraphQLInputType): ValueReader {
  if (isNonNullType(type)) return textReader(type.ofType);
  if (isListType(type)) return repeatableReader(type.ofType);
  if (isEnumType(type)) return single(enumReader(type));
  if (isScalarType(type)) return single(writtenScalarReader(type));
  throw new InvariantError(`${type.name} cannot be written in a URL`);
}

function writtenScalarReader(type: GraphQLScalarType): ValueReader {
  const read = scalarReader(type);
  const write = WRITTEN[type.name];
  if (write === undefined) return read;
  return (given, path, findings) => read(write(given as string), path, findings);
}

const single =
  (read: ValueReader): ValueReader =>
  (given, path, findings) =>
    typeof given === 'string' ? read(given, path, findings) : addIssue(findings, path, 'must be given only once');

function repeatableReader(itemType: GraphQLInputType): ValueReader {
  const read = textReader(itemType);
  return (given, path, findings) =>
    (Array.isArray(given) ? given : [given]).map((item: unknown) => read(item, path, findings));
}
