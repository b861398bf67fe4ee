import { HIDDEN_CHARACTERS_MESSAGE, hasHiddenCharacters } from './hidden-characters';
import { isRoutingNumber } from './routing-number';
import { MAX_DESCRIPTION, COUNTRY_MESSAGE, parseCountry, type UsdBeneficiary } from './usd-beneficiary';

/** Reads the fields of a request one by one, and collects what is wrong with them. */
export interface BankFieldReader {
  /** True when the field was given, even when it cannot be read. */
  has(name: string): boolean;
  /** The text given. One that is too long, or no text, is a problem and counts as not given. */
  text(name: string, maxLength?: number): string | undefined;
  problem(path: string, message: string): void;
}

/** What is wrong with a line of text, if anything. */
type Rule = (line: string) => string | undefined;

const anyLine: Rule = () => undefined;
const rule =
  (isFine: (line: string) => boolean, otherwise: string): Rule =>
  (line) =>
    isFine(line) ? undefined : otherwise;

/** Fields that come all together. */
const REQUIRED = {
  bankAccountNumber: rule((line) => /^[0-9]{1,17}$/.test(line), 'must be 1 to 17 digits'),
  bankRoutingNumber: rule(isRoutingNumber, 'must be a valid ABA routing number of 9 digits'),
  bankName: anyLine,
  // The ramps refuse accented characters.
  bankBeneficiaryName: rule((line) => /^[\x20-\x7e]*$/.test(line), 'must contain ASCII characters only'),
  beneficiaryStreetLine1: anyLine,
  beneficiaryCity: anyLine,
  beneficiaryState: anyLine,
  beneficiaryPostalCode: anyLine,
  beneficiaryCountry: rule((line) => parseCountry(line) !== undefined, COUNTRY_MESSAGE),
} as const;

type RequiredField = keyof typeof REQUIRED;
const NAMES = Object.keys(REQUIRED) as RequiredField[];

/**
 * The account in the United States that the bank fields of a request name; `undefined` when there are none and none are
 * needed. Every problem is told to the reader: where there is one, what comes of the fields is of no use.
 */
export function readBankAccount(
  reader: BankFieldReader,
  { needed }: { readonly needed: boolean },
): Omit<UsdBeneficiary, 'paymentMethod'> | undefined {
  const isWanted = needed || NAMES.some((name) => reader.has(name));
  const required = isWanted ? requiredLines(reader) : undefined;
  const [alias, secondLine] = ['alias', 'beneficiaryStreetLine2'].map((name) => lineOf(reader, name));
  const description = lineOf(reader, 'description', { maxLength: MAX_DESCRIPTION });
  if (required === undefined) return undefined;
  const field = (name: RequiredField): string => required.get(name) ?? '';
  return {
    alias: alias || field('bankBeneficiaryName'),
    accountNumber: field('bankAccountNumber'),
    routingNumber: field('bankRoutingNumber'),
    bankName: field('bankName'),
    name: field('bankBeneficiaryName'),
    street: [field('beneficiaryStreetLine1'), ...(secondLine ? [secondLine] : [])],
    city: field('beneficiaryCity'),
    state: field('beneficiaryState'),
    postalCode: field('beneficiaryPostalCode'),
    country: parseCountry(field('beneficiaryCountry')) ?? '',
    description: description || undefined,
  };
}

function requiredLines(reader: BankFieldReader): ReadonlyMap<RequiredField, string | undefined> {
  const lines = new Map<RequiredField, string | undefined>();
  for (const name of NAMES) {
    const line = lineOf(reader, name, { rule: REQUIRED[name] });
    if (!reader.has(name) || line === '') reader.problem(name, 'is required when another bank field is given');
    lines.set(name, line);
  }
  return lines;
}

interface LineRules {
  readonly rule?: Rule;
  readonly maxLength?: number;
}

/** A line of text without the spaces around it: empty when it has nothing else. */
function lineOf(reader: BankFieldReader, name: string, { rule: wrongWith = anyLine, maxLength }: LineRules = {}) {
  const line = reader.text(name, maxLength)?.trim();
  if (line === undefined || line === '') return line;
  const wrong = hasHiddenCharacters(line) ? HIDDEN_CHARACTERS_MESSAGE : wrongWith(line);
  if (wrong !== undefined) reader.problem(name, wrong);
  return line;
}
