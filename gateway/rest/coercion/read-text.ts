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

/** Conversion of URL texts for scalars other than strings. Other texts stay unchanged, and the scalar refuses them. */
const FROM_TEXT: Readonly<Record<string, (text: string) => unknown>> = {
  Int: (text) => (WHOLE_NUMBER.test(text) ? Number.parseInt(text, 10) : text),
  SafeInt: (text) => (WHOLE_NUMBER.test(text) ? Number.parseInt(text, 10) : text),
  Float: (text) => (NUMBER.test(text) ? (JSON.parse(text) as number) : text),
  Boolean: (text) => (text === 'true' ? true : text === 'false' ? false : text),
};

/** Compiles a reader of query parameters (one or several texts) or path segments of this type. */
export function textReader(type: GraphQLInputType): ValueReader {
  if (isNonNullType(type)) return textReader(type.ofType);
  if (isListType(type)) return repeatableReader(type.ofType);
  if (isEnumType(type)) return single(enumReader(type));
  if (isScalarType(type)) return single(scalarTextReader(type));
  throw new InvariantError(`${type.name} cannot be written in a URL`);
}

function scalarTextReader(type: GraphQLScalarType): ValueReader {
  const read = scalarReader(type);
  const convert = FROM_TEXT[type.name];
  if (convert === undefined) return read;
  return (given, path, findings) => read(convert(given as string), path, findings);
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
