import { GraphQLError, GraphQLScalarType, Kind, type ValueNode } from 'graphql';
import { evmAddressProblem, isMeantAsEvm, parseEvmAddress, parseSolanaAddress } from '../../src/chains/addresses';
import { parseBaseUnits } from '../../src/money/base-units';

// Any version and variant: an id that does not exist is not found, whatever its bits.
const UUID_PATTERN = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const MAX_URL_LENGTH = 2048;

type ScalarInput = string | number | boolean | null | object;

interface ScalarOptions<Value> {
  readonly name: string;
  readonly description: string;
  /** Validates an input and returns its canonical form; throws `invalid(…)`. */
  readonly parse: (value: ScalarInput) => Value;
  readonly serialize?: (value: unknown) => unknown;
}

const invalid = (message: string): GraphQLError => new GraphQLError(message);

const literalOf = (node: ValueNode): ScalarInput => {
  switch (node.kind) {
    case Kind.STRING:
    case Kind.FLOAT:
    case Kind.BOOLEAN:
      return node.value;
    case Kind.INT:
      return Number.parseInt(node.value, 10);
    default:
      throw invalid(`must not be a literal of kind ${node.kind}`);
  }
};

const scalar = <Value>({ name, description, parse, serialize }: ScalarOptions<Value>): GraphQLScalarType =>
  new GraphQLScalarType({
    name,
    description,
    serialize: serialize ?? String,
    parseValue: (value) => parse(value as ScalarInput),
    parseLiteral: (node) => parse(literalOf(node)),
  });

const text = (value: ScalarInput, expected: string): string => {
  if (typeof value !== 'string') throw invalid(`must be ${expected}, as a string`);
  return value;
};

export const AddressScalar = scalar({
  name: 'Address',
  description:
    'A wallet or contract: an EVM address (checksummed, all lower or all upper case) or a Solana public key.',
  parse: (value) => {
    const given = text(value, 'an EVM address or a Solana public key');
    const parsed = parseEvmAddress(given) ?? parseSolanaAddress(given);
    if (parsed !== undefined) return parsed;
    throw invalid(
      isMeantAsEvm(given) ? evmAddressProblem(given) : 'must be an EVM address (0x…) or a Solana public key',
    );
  },
});

export const AmountScalar = scalar({
  name: 'Amount',
  description: "Amount in the token's smallest unit (wei, lamport, cent): decimal digits, at most 2^256 - 1.",
  parse: (value) => {
    const given = text(value, 'an amount in the smallest unit');
    if (parseBaseUnits(given) === undefined) {
      throw invalid(
        'must be an amount in the smallest unit: decimal digits without sign or leading zeros, at most 2^256 - 1',
      );
    }
    return given;
  },
});

export const ChainNameScalar = scalar({
  name: 'ChainName',
  description: 'A chain, by its slug (`base`) or its id (`8453`).',
  parse: (value) => {
    const given = typeof value === 'number' ? String(value) : text(value, 'a chain slug or id');
    if (!/^[A-Za-z0-9-]{1,32}$/.test(given)) throw invalid('must be a chain slug such as "base", or a chain id');
    return given;
  },
});

export const DateTimeScalar = scalar({
  name: 'DateTime',
  description: 'A time in ISO 8601, UTC, with milliseconds: 2026-01-31T12:00:00.000Z.',
  parse: (value) => {
    const date = new Date(text(value, 'an ISO 8601 time'));
    if (Number.isNaN(date.getTime())) throw invalid('must be an ISO 8601 time such as 2026-01-31T12:00:00.000Z');
    return date.toISOString();
  },
  serialize: (value) => (value instanceof Date ? value.toISOString() : String(value)),
});

export const DecimalFractionScalar = scalar({
  name: 'DecimalFraction',
  description: 'A fraction of 1 as a decimal: 0.005 is 0.5 %.',
  parse: (value) => {
    const given = typeof value === 'number' ? String(value) : text(value, 'a decimal number');
    if (!/^-?[0-9]{0,20}(?:\.[0-9]{1,36})?$/.test(given) || !/[0-9]/.test(given)) {
      throw invalid('must be a decimal number such as 0.005');
    }
    return given;
  },
});

export const JsonScalar = new GraphQLScalarType({
  name: 'JSON',
  description: 'Any JSON value.',
});

export const SafeIntScalar = scalar({
  name: 'SafeInt',
  description: 'Integer up to 2^53 - 1: chain ids, Unix seconds, totals.',
  parse: (value) => {
    if (!Number.isSafeInteger(value)) throw invalid('must be an integer up to 2^53 - 1');
    return value;
  },
  serialize: (value) => (typeof value === 'bigint' ? Number.parseInt(value.toString(), 10) : value),
});

export const UrlScalar = scalar({
  name: 'URL',
  description: 'An absolute http(s) URL, at most 2048 characters.',
  parse: (value) => {
    const given = text(value, 'an absolute URL');
    if (given.length > MAX_URL_LENGTH) throw invalid('must be at most 2048 characters long');
    if (!/^https?:\/\//i.test(given) || !URL.canParse(given)) throw invalid('must be an absolute http(s) URL');
    return given;
  },
});

export const UuidScalar = scalar({
  name: 'UUID',
  description: 'A UUID.',
  parse: (value) => {
    const given = text(value, 'a UUID');
    if (!UUID_PATTERN.test(given)) throw invalid('must be a UUID');
    return given.toLowerCase();
  },
});

/** All scalars of the graph. The gateway binds them to the public schema. */
export const SCALARS: readonly GraphQLScalarType[] = [
  AddressScalar,
  AmountScalar,
  ChainNameScalar,
  DateTimeScalar,
  DecimalFractionScalar,
  JsonScalar,
  SafeIntScalar,
  UrlScalar,
  UuidScalar,
];
