import { routeErrorCodes } from '../../gateway/rest/openapi/error-responses';
import { ROUTES } from '../../gateway/rest/route-table';
import type { ErrorCode } from '../../src/errors/catalog';
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
  /** Method and path of the last request. */
  lastRequest: string;
}

export const newRequestRecord = (): RequestRecord => ({ personalData: new Set(), lastRequest: '' });

/** Sends requests, and adds them to the record. */
export const recordingSender =
  (send: SendRequest, record: RequestRecord): SendRequest =>
  (target, options = {}) => {
    const { pathname, searchParams } = new URL(target, 'http://service');
    const { body, method = body === undefined ? 'GET' : 'POST' } = options;
    collectPersonalData(Object.fromEntries(searchParams), record.personalData);
    collectPersonalData(body, record.personalData);
    record.lastRequest = `${method} ${pathname}`;
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

/** Asserts that the route of the last request documents the code. */
export function expectDocumented(code: ErrorCode, { lastRequest }: RequestRecord): void {
  const route = ROUTES.find(({ method, path }) =>
    new RegExp(`^${method} ${path.replaceAll(/:\w+/g, '[^/]+')}$`).test(lastRequest),
  );
  expect(route === undefined ? [] : routeErrorCodes(route)).toContain(code);
}
