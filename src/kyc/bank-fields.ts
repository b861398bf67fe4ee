import { type ValidationIssue, validationError } from '../errors/validation';
import { type BankFieldReader, readBankAccount } from '../ramps/bank-fields';
import { USD_PAYMENT_METHODS, type UsdBeneficiary } from '../ramps/usd-beneficiary';

const MAX_LENGTH = 256;

/**
 * The account in the United States that the bank fields of a request name; they come all together. `undefined` when there
 * are none and none are needed.
 *
 * @throws VALIDATION_ERROR with every problem
 */
export function readBankFields(
  fields: object,
  { required: needed }: { readonly required: boolean },
): UsdBeneficiary | undefined {
  const issues: ValidationIssue[] = [];
  const reader = readerOf(fields, issues);
  const account = readBankAccount(reader, { needed });
  const given = reader.text('usdPaymentMethod') ?? 'WIRE';
  const paymentMethod = USD_PAYMENT_METHODS.find((method) => method === given);
  if (paymentMethod === undefined) {
    reader.problem('usdPaymentMethod', `must be one of ${USD_PAYMENT_METHODS.join(', ')}`);
  }
  if (issues.length > 0 || paymentMethod === undefined) throw validationError(issues);
  return account === undefined ? undefined : { ...account, paymentMethod };
}

/** An empty text and null mean "not given". */
function readerOf(fields: object, issues: ValidationIssue[]): BankFieldReader {
  const given = new Map<string, unknown>(Object.entries(fields).filter(([, value]) => (value ?? '') !== ''));
  const problem = (path: string, message: string): void => void issues.push({ path, message });
  return {
    problem,
    has: (name) => given.has(name),
    text(name, maxLength = MAX_LENGTH) {
      const value = given.get(name);
      if (typeof value !== 'string') return undefined;
      if (value.length <= maxLength) return value;
      problem(name, `must be at most ${maxLength} characters long`);
      return undefined;
    },
  };
}
