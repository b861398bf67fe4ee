import { HIDDEN_CHARACTERS_MESSAGE, hasHiddenCharacters } from './hidden-characters';
import { MAX_DESCRIPTION, COUNTRY_MESSAGE, parseCountry, type UsdBeneficiary } from './usd-beneficiary';

/** Reads the fields of a request one by one, and collects the issues. */
export interface BankFieldReader {
  /** True when the field is present, even when it is invalid. */
  has(name: string): boolean;
  /** The text of the field. `undefined` when it is absent; other types and longer texts are issues, too. */
  text(name: string, maxLength?: number): string | undefined;
  addIssue(path: string, message: string): void;
}

/** Returns the issue with a line of text; `undefined` for a valid line. */
type Rule = (line: string) => string | undefined;

const anyLine: Rule = () => undefined;
const rule =
  (isValid: (line: string) => boolean, issue: string): Rule =>
  (line) =>
    isValid(line) ? undefined : issue;

/** Fields that are given all together. */
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
 * Reads the bank account in the United States from the bank fields of a request. `undefined` when they are absent and not
 * required. Issues go to the reader; the result must not be used when there are any.
 */
export function readBankAccount(
  reader: BankFieldReader,
  { required }: { readonly required: boolean },
): Omit<UsdBeneficiary, 'paymentMethod'> | undefined {
  const isExpected = required || NAMES.some((name) => reader.has(name));
  const lines = isExpected ? requiredLines(reader) : undefined;
  const [alias, secondLine] = ['alias', 'beneficiaryStreetLine2'].map((name) => lineOf(reader, name));
  const description = lineOf(reader, 'description', { maxLength: MAX_DESCRIPTION });
  if (lines === undefined) return undefined;
  const field = (name: RequiredField): string => lines.get(name) ?? '';
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
    if (!reader.has(name) || line === '') reader.addIssue(name, 'is required when another bank field is given');
    lines.set(name, line);
  }
  return lines;
}

interface LineRules {
  readonly rule?: Rule;
  readonly maxLength?: number;
}

/** A line of text without surrounding spaces; empty when there is nothing else. */
function lineOf(reader: BankFieldReader, name: string, { rule: issueWith = anyLine, maxLength }: LineRules = {}) {
  const line = reader.text(name, maxLength)?.trim();
  if (line === undefined || line === '') return line;
  const issue = hasHiddenCharacters(line) ? HIDDEN_CHARACTERS_MESSAGE : issueWith(line);
  if (issue !== undefined) reader.addIssue(name, issue);
  return line;
}

const WEIGHTS = [3, 7, 1];
/** The first two digits are a district of the Federal Reserve, plus 0, 20 or 60. */
const ROUTING_NUMBER = /^(?:0[1-9]|1[0-2]|2[1-9]|3[0-2]|6[1-9]|7[0-2])[0-9]{7}$/;

/** True for the ABA routing number of a bank: nine digits whose sum, weighted 3, 7, 1, is a multiple of ten. */
export function isRoutingNumber(text: string): boolean {
  if (!ROUTING_NUMBER.test(text)) return false;
  const digits = Array.from(text, (digit) => Number.parseInt(digit, 10));
  return digits.reduce((sum, digit, position) => sum + digit * (WEIGHTS[position % 3] ?? 0), 0) % 10 === 0;
}
