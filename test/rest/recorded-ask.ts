import { routeErrorCodes } from '../../gateway/rest/openapi/error-responses';
import { ROUTES } from '../../gateway/rest/route-table';
import type { ErrorCode } from '../../src/errors/catalog';
import type { RestResponse } from '../setup/running-service';
import type { Ask } from './error-codes-world';

/** Fields of requests that tell of a person. */
const PERSONAL: ReadonlySet<string> = new Set([
  ...['pixKey', 'cpf', 'taxId', 'email', 'fullName', 'firstName', 'lastName', 'phone', 'dateOfBirth', 'birthDate'],
  ...['zipCode', 'streetAddress', 'walletAddress', 'originAddress', 'destinationAddress'],
  ...['bankAccountNumber', 'bankRoutingNumber', 'bankName', 'bankBeneficiaryName', 'beneficiaryStreetLine1'],
  ...['beneficiaryPostalCode', 'base64', 'url'],
]);

/** What was asked. */
export interface Heard {
  /** What was told of people. */
  readonly said: Set<string>;
  /** Method and path of the last request. */
  last: string;
}

export const newHeard = (): Heard => ({ said: new Set(), last: '' });

/** Asks, and notes it. */
export const recorded =
  (ask: Ask, heard: Heard): Ask =>
  (target, options = {}) => {
    const { pathname, searchParams } = new URL(target, 'http://service');
    const { body, method = body === undefined ? 'GET' : 'POST' } = options;
    note(Object.fromEntries(searchParams), heard.said);
    note(body, heard.said);
    heard.last = `${method} ${pathname}`;
    return ask(target, options);
  };

function note(value: unknown, said: Set<string>, name = ''): void {
  if (typeof value === 'string' && PERSONAL.has(name)) said.add(value);
  if (typeof value !== 'object' || value === null) return;
  for (const [field, part] of Object.entries(value)) note(part, said, field);
}

/** Asserts that an answer repeats nothing that was told of people. */
export function expectNothingSaid({ body }: RestResponse, { said }: Heard): void {
  const text = JSON.stringify(body).toLowerCase();
  expect([...said].filter((part) => text.includes(part.toLowerCase()))).toEqual([]);
}

/** Asserts that the route that was asked last documents the code. */
export function expectDocumented(code: ErrorCode, { last }: Heard): void {
  const route = ROUTES.find(({ method, path }) =>
    new RegExp(`^${method} ${path.replaceAll(/:\w+/g, '[^/]+')}$`).test(last),
  );
  expect(route === undefined ? [] : routeErrorCodes(route)).toContain(code);
}
