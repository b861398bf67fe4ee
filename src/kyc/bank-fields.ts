import { z } from 'zod';
import { validationError } from '../errors/validation';
import { isRoutingNumber } from '../ramps/routing-number';
import { NO_COUNTRY, parseCountry, USD_PAYMENT_METHODS, type UsdBeneficiary } from '../ramps/usd-beneficiary';
import { oneOf, optional, readInput, text } from './evidence/read-input';

const REQUIRED = {
  bankAccountNumber: text.regex(/^[0-9]{1,17}$/, 'must be 1 to 17 digits'),
  bankRoutingNumber: text.refine(isRoutingNumber, 'must be a valid ABA number'),
  bankName: text,
  bankBeneficiaryName: text.regex(/^[\x20-\x7e]*$/, 'must be written in ASCII characters'),
  beneficiaryStreetLine1: text,
  beneficiaryCity: text,
  beneficiaryState: text,
  beneficiaryPostalCode: text,
  beneficiaryCountry: text.transform((given, context) => {
    const country = parseCountry(given);
    if (country !== undefined) return country;
    context.addIssue(NO_COUNTRY);
    return z.NEVER;
  }),
};
const bankAccount = z.object({
  ...REQUIRED,
  ...{ alias: optional(text), beneficiaryStreetLine2: optional(text), description: optional(text) },
  usdPaymentMethod: optional(oneOf(USD_PAYMENT_METHODS)),
});

const names = Object.keys(REQUIRED);

/**
 * The account in the United States that the bank fields of a request name; they come all together. `undefined` when there
 * are none and none are needed.
 *
 * @throws VALIDATION_ERROR with every problem
 */
export function readBankFields(
  fields: object,
  { required }: { readonly required: boolean },
): UsdBeneficiary | undefined {
  const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== ''));
  if (!names.some((name) => Object.hasOwn(given, name))) {
    if (!required) return undefined;
    throw validationError(names.map((path) => ({ path, message: 'is required' })));
  }
  const account = readInput(bankAccount, given);
  const { beneficiaryStreetLine1, beneficiaryStreetLine2 } = account;
  return {
    alias: account.alias ?? account.bankBeneficiaryName,
    accountNumber: account.bankAccountNumber,
    routingNumber: account.bankRoutingNumber,
    bankName: account.bankName,
    name: account.bankBeneficiaryName,
    street: [beneficiaryStreetLine1, ...(beneficiaryStreetLine2 === undefined ? [] : [beneficiaryStreetLine2])],
    city: account.beneficiaryCity,
    state: account.beneficiaryState,
    postalCode: account.beneficiaryPostalCode,
    country: account.beneficiaryCountry,
    description: account.description,
    paymentMethod: account.usdPaymentMethod ?? 'WIRE',
  };
}
