import type { RestAnswer } from '../setup/running-service';
import type { Ask } from './error-codes-world';

/** Fields of requests that tell of a person. */
const PERSONAL: ReadonlySet<string> = new Set([
  ...['pixKey', 'cpf', 'taxId', 'email', 'fullName', 'firstName', 'lastName', 'phone', 'dateOfBirth', 'birthDate'],
  ...['zipCode', 'streetAddress', 'walletAddress', 'originAddress', 'destinationAddress'],
  ...['bankAccountNumber', 'bankRoutingNumber', 'bankName', 'bankBeneficiaryName', 'beneficiaryStreetLine1'],
  ...['beneficiaryPostalCode', 'base64', 'url'],
]);

/** What was told of people in requests. */
export type Said = Set<string>;

/** Asks, and notes what is told of people. */
export const recorded =
  (ask: Ask, said: Said): Ask =>
  (target, options = {}) => {
    note(Object.fromEntries(new URL(target, 'http://service').searchParams), said);
    note(options.body, said);
    return ask(target, options);
  };

function note(value: unknown, said: Said, name = ''): void {
  if (typeof value === 'string' && PERSONAL.has(name)) said.add(value);
  if (typeof value !== 'object' || value === null) return;
  for (const [field, part] of Object.entries(value)) note(part, said, field);
}

/** Asserts that an answer repeats nothing that was told of people. */
export function expectNothingSaid({ body }: RestAnswer, said: Said): void {
  const text = JSON.stringify(body).toLowerCase();
  expect([...said].filter((part) => text.includes(part.toLowerCase()))).toEqual([]);
}
