import type { RestResponse } from '../setup/running-service';
import type { SendRequest } from './error-codes-world';

/** Request fields with personal data. */
const PERSONAL: ReadonlySet<string> = new Set([
  ...['pixKey', 'cpf', 'taxId', 'email', 'fullName', 'firstName', 'lastName', 'phone', 'dateOfBirth', 'birthDate'],
  ...['zipCode', 'streetAddress', 'walletAddress', 'originAddress', 'destinationAddress'],
  ...['bankAccountNumber', 'bankRoutingNumber', 'bankName', 'bankBeneficiaryName', 'beneficiaryStreetLine1'],
  ...['beneficiaryPostalCode', 'base64', 'url'],
]);

/** The requests of one test. */
export interface RequestRecord {
  /** Personal data in the requests. */
  readonly personalData: Set<string>;
}

export const newRequestRecord = (): RequestRecord => ({ personalData: new Set() });

/** Sends requests, and adds them to the record. */
export const recordingSender =
  (send: SendRequest, record: RequestRecord): SendRequest =>
  (target, options = {}) => {
    const { searchParams } = new URL(target, 'http://service');
    collectPersonalData(Object.fromEntries(searchParams), record.personalData);
    collectPersonalData(options.body, record.personalData);
    return send(target, options);
  };

function collectPersonalData(value: unknown, found: Set<string>, name = ''): void {
  if (typeof value === 'string' && PERSONAL.has(name)) found.add(value);
  if (typeof value !== 'object' || value === null) return;
  for (const [field, part] of Object.entries(value)) collectPersonalData(part, found, field);
}

/** Asserts that a response repeats no personal data of the requests. */
export function expectNoPersonalData({ body }: RestResponse, { personalData }: RequestRecord): void {
  const text = JSON.stringify(body).toLowerCase();
  expect([...personalData].filter((part) => text.includes(part.toLowerCase()))).toEqual([]);
}
