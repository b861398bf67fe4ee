import { type ValidationIssue, validationError } from '../errors/validation';
import { type BankFieldReader, readBankAccount } from '../ramps/bank-fields';
import { USD_PAYMENT_METHODS, type UsdBeneficiary } from '../ramps/usd-beneficiary';

const MAX_LENGTH = 256;

/**
 * Reads the bank account in the United States from the bank fields of a request, which are given all together.
 * `undefined` when they are absent and not required.
 *
 * @throws VALIDATION_ERROR with every invalid field
 */
export function readBankFields(
  fields: object,
  { required }: { readonly required: boolean },
): UsdBeneficiary | undefined {
  const issues: ValidationIssue[] = [];
  const reader = readerOf(fields, issues);
  const account = readBankAccount(reader, { required });
  const given = reader.text('usdPaymentMethod') ?? 'WIRE';
  const paymentMethod = USD_PAYMENT_METHODS.find((method) => method === given);
  if (paymentMethod === undefined) {
    reader.addIssue('usdPaymentMethod', `must be one of ${USD_PAYMENT_METHODS.join(', ')}`);
  }
  if (issues.length > 0 || paymentMethod === undefined) throw validationError(issues);
  return account === undefined ? undefined : { ...account, paymentMethod };
}

/** Empty strings and null count as absent. */
function readerOf(fields: object, issues: ValidationIssue[]): BankFieldReader {
  const given = new Map<string, unknown>(Object.entries(fields).filter(([, value]) => (value ?? '') !== ''));
  const addIssue = (path: string, message: string): void => void issues.push({ path, message });
  return {
    addIssue,
    has: (name) => given.has(name),
    text(name, maxLength = MAX_LENGTH) {
      const value = given.get(name);
      if (typeof value !== 'string') return undefined;
      if (value.length <= maxLength) return value;
      addIssue(name, `must be at most ${maxLength} characters long`);
      return undefined;
    },
  };
}
