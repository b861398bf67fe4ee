import type { FieldReader } from '../../errors/field-reader';
import { serviceError } from '../../errors/service-error';
import { validationError } from '../../errors/validation';

/** Terms of an order of a tokenized stock, with the error codes of other strategies, which refuse them. */
const TERMS = [
  { name: 'priceInUsd', code: 'PRICE_IN_USD_NOT_SUPPORTED' },
  { name: 'expireAt', code: 'EXPIRE_AT_NOT_SUPPORTED' },
] as const;

/** The terms in a request, whatever their values. */
export const givenTerms = (reader: FieldReader): readonly (typeof TERMS)[number][] =>
  TERMS.filter(({ name }) => reader.has(name));

/**
 * Ends the validation of a request to a strategy without orders. Their terms are refused by their presence: no value of them is
 * right. Among other problems they are listed with these.
 *
 * @throws VALIDATION_ERROR; PRICE_IN_USD_NOT_SUPPORTED, EXPIRE_AT_NOT_SUPPORTED when nothing else is wrong
 */
export function assertWithoutTerms(reader: FieldReader): void {
  const given = givenTerms(reader);
  if (reader.issues.length > 0) {
    const refused = given.map(({ name }) => ({ path: name, message: 'is not supported by this strategy' }));
    throw validationError([...reader.issues, ...refused]);
  }
  const [first] = given;
  if (first !== undefined) throw serviceError(first.code);
}
