import { z } from 'zod';
import {
  evmAddressProblem,
  isMeantAsEvm,
  isUnownedAddress,
  parseEvmAddress,
  parseSolanaAddress,
} from '../../chains/addresses';
import { type ValidationIssue, validationError } from '../../errors/validation';
import { HIDDEN_CHARACTERS_MESSAGE, hasHiddenCharacters } from '../../ramps/hidden-characters';
import { isBirthDate } from './calendar-date';

const MAX_TEXT_LENGTH = 200;
/** Message for an address without a private key, such as the zero address. */
export const NO_PRIVATE_KEY = 'must be a wallet address, not a reserved address';

const expected =
  (kind: string) =>
  ({ input }: { readonly input?: unknown }): string =>
    input === undefined || input === null ? 'is required' : `must be ${kind}`;

/** A line of text without hidden characters. */
export const text = z
  .string({ error: expected('a string') })
  .trim()
  .min(1, 'is required')
  .max(MAX_TEXT_LENGTH, `must be at most ${MAX_TEXT_LENGTH} characters long`)
  .refine((value) => !hasHiddenCharacters(value), HIDDEN_CHARACTERS_MESSAGE);

/** A field that may be missing, null or empty. */
export const optional = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((value) => (value === null || value === '' ? undefined : value), schema.optional());

export const birthDay = text.refine((value) => isBirthDate(value, new Date()), 'must be a date of birth, YYYY-MM-DD');
export const country = text.regex(/^[A-Z]{3}$/, 'must be an ISO 3166-1 alpha-3 country code, such as BRA');
export const phone = text.regex(
  /^\+?[0-9][0-9 ()-]{6,24}$/,
  'must be a phone number with country code, such as +5511999990000',
);
export const email = text
  .regex(/^[^\s@]+@[^\s@]+\.[^\s@]+$/, 'must be an email address')
  .transform((value) => value.toLowerCase());
/** Checksummed, or a Solana public key. */
export const wallet = text.transform((given, context) => {
  const address = parseEvmAddress(given) ?? parseSolanaAddress(given);
  if (address === undefined) {
    context.addIssue(isMeantAsEvm(given) ? evmAddressProblem(given) : 'must be an EVM address or a Solana public key');
    return z.NEVER;
  }
  return address;
});
/** A wallet that has a private key. */
export const keyedWallet = wallet.refine((address) => !isUnownedAddress(address), NO_PRIVATE_KEY);
export const oneOf = <const Names extends readonly string[]>(names: Names) =>
  z.enum(names, { error: expected(`one of ${names.join(', ')}`) });

export const postalAddress = z.object(
  {
    country,
    state: text,
    city: text,
    zipCode: text,
    streetAddress: text,
    number: optional(text),
    complement: optional(text),
  },
  { error: expected('an object') },
);

const anyText = z.string({ error: expected('a string') });

/** Bytes in base64, or their URL. The content is checked when it is loaded. */
export const file = z
  .object(
    { base64: optional(anyText), url: optional(anyText), mimeType: optional(text) },
    { error: expected('an object') },
  )
  .refine(
    ({ base64, url }) => (base64 === undefined) !== (url === undefined),
    'must have exactly one of base64 and url',
  );

export const group = <Shape extends z.ZodRawShape>(shape: Shape) => z.object(shape, { error: expected('an object') });

export const confidence = z
  .number({ error: expected('a number from 0 to 100') })
  .min(0, 'must be from 0 to 100')
  .max(100, 'must be from 0 to 100');

/** Parses the input. @throws VALIDATION_ERROR with one issue for each invalid field, including the issues found before */
export function readInput<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
  found: readonly ValidationIssue[] = [],
): z.output<Schema> {
  const parsed = schema.safeParse(input);
  const issues = [...(parsed.error?.issues.map(issueOf) ?? []), ...found];
  if (parsed.success && issues.length === 0) return parsed.data;
  throw validationError(issues.filter(({ path }, index) => issues.findIndex((issue) => issue.path === path) === index));
}

const issueOf = ({ path, message }: z.core.$ZodIssue): ValidationIssue => ({ path: path.join('.'), message });
