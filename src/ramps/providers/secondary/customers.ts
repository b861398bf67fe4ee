import { z } from 'zod';
import { serviceError, type ServiceError } from '../../../errors/service-error';
import type { AccountOpening, Person } from '../../kyc-provider';
import type { RampAccount } from '../../ramp-provider';
import { rampFailure, isRefused, isOutcomeUnknown } from './failures';
import { listEntries, apiPath, type SecondaryRampApi } from './ramp-api';
import { customerTaxId } from './holder';
import { identified, listedCustomer, type ListedCustomer, readResponse, refusalText } from './api-schemas';

/** Maximum delay of the ramp's clock. */
const CLOCK_SKEW_MS = 30_000;

/**
 * Opens a customer of the ramp. The ramp stores no external id, and customers that another party opened are never adopted.
 * After a lost response the search accepts only a customer that was created since the first request and that is not stored
 * for another profile.
 *
 * @throws KYC_PROFILE_INCOMPLETE_FOR_RAMP, INVALID_SECONDARY_RAMP_CUSTOMER, SECONDARY_RAMP_API_ERROR
 */
export async function openCustomer(
  api: SecondaryRampApi,
  { person, opening }: { readonly person: Person; readonly opening: AccountOpening },
  signal: AbortSignal,
): Promise<RampAccount> {
  const { kycUserId, requestedSince } = opening;
  const search = { person, opening, since: (requestedSince?.getTime() ?? api.now()) - CLOCK_SKEW_MS };
  try {
    const existing = requestedSince === undefined ? undefined : await findCustomer(api, search, signal);
    return { accountId: existing ?? (await createCustomer(api, search, signal)), kycUserId };
  } catch (error) {
    throw refusalError(error) ?? rampFailure('CUSTOMER', error);
  }
}

/** @throws UpstreamError */
async function createCustomer(api: SecondaryRampApi, search: CustomerSearch, signal: AbortSignal): Promise<string> {
  try {
    const body = customerBody(search.person, api.taxIdField);
    return readResponse(identified, await api.http.post(apiPath('customers'), body, signal)).id;
  } catch (error) {
    const found = isOutcomeUnknown(error) ? await findCustomer(api, search, signal).catch(() => undefined) : undefined;
    if (found !== undefined) return found;
    throw error;
  }
}

function customerBody(person: Person, taxIdField: SecondaryRampApi['taxIdField']): object {
  const { first_name, last_name } = namesOf(person);
  const { address } = person;
  return {
    type: 'individual',
    first_name,
    last_name,
    email: person.email,
    phone_number: person.phone,
    date_of_birth: person.birthDate,
    [taxIdField]: person.taxId,
    country: person.taxIdCountry,
    address: {
      street_line_1: [address.streetAddress, address.number].filter((part) => (part ?? '') !== '').join(', '),
      ...((address.complement ?? '') === '' ? {} : { street_line_2: address.complement }),
      city: address.city,
      state: address.state,
      postal_code: postalCodeOf(address),
      country: address.country,
    },
  };
}

/** Brazilian postal codes have digits only; others have significant letters. */
const postalCodeOf = ({ country, zipCode }: Person['address']): string =>
  country === 'BRA' ? zipCode.replace(/\D/g, '') || zipCode : zipCode;

function namesOf({ fullName, lastName = '' }: Person): { readonly first_name: string; readonly last_name: string } {
  const [full, last_name] = [splitWords(fullName).join(' '), splitWords(lastName).join(' ')];
  if (last_name !== '' && full.endsWith(` ${last_name}`))
    return { first_name: full.slice(0, -last_name.length - 1), last_name };
  const [first_name = '', ...more] = splitWords(fullName);
  if (more.length === 0) throw serviceError('KYC_PROFILE_INCOMPLETE_FOR_RAMP', { fields: 'lastName' });
  return { first_name, last_name: more.join(' ') };
}

const splitWords = (name: string): string[] => name.split(/\s+/).filter((word) => word !== '');

interface CustomerSearch {
  readonly person: Person;
  readonly opening: AccountOpening;
  /** Milliseconds since 1970. */
  readonly since: number;
}

/** Finds the customer of a person; `undefined` for no match and for several. @throws UpstreamError */
async function findCustomer(api: SecondaryRampApi, { person, opening, since }: CustomerSearch, signal: AbortSignal) {
  const found: string[] = [];
  for await (const entry of listEntries(
    api,
    { path: apiPath('customers'), entries: z.array(listedCustomer) },
    signal,
  )) {
    const isNew = Date.parse(entry.created_at ?? '') >= since;
    if (isNew && isSame(entry, person) && (await opening.isTaken?.(entry.id)) !== true) found.push(entry.id);
  }
  return found.length === 1 ? found[0] : undefined;
}

function isSame(entry: ListedCustomer, person: Person): boolean {
  const { first_name, last_name } = namesOf(person);
  return (
    customerTaxId(entry) === person.taxId &&
    entry.email?.toLowerCase() === person.email.toLowerCase() &&
    entry.date_of_birth === person.birthDate &&
    entry.first_name === first_name &&
    entry.last_name === last_name
  );
}

/** Names of fields at the ramp, and in the API specification. */
const FIELDS: Readonly<Record<string, string>> = {
  first_name: 'firstName',
  last_name: 'lastName',
  email: 'email',
  phone_number: 'phone',
  date_of_birth: 'dateOfBirth',
  tin: 'taxId',
  tax_id: 'taxId',
  country: 'taxIdCountry',
  address: 'address',
  street_line_1: 'address',
  postal_code: 'address',
  state: 'address',
  city: 'address',
};

function refusalError(cause: unknown): ServiceError | undefined {
  if (!isRefused(cause)) return undefined;
  const text = refusalText(cause);
  const named = Object.entries(FIELDS).flatMap(([name, field]) => (text.includes(name) ? [field] : []));
  if (named.length === 0) return undefined;
  return serviceError('KYC_PROFILE_INCOMPLETE_FOR_RAMP', { fields: [...new Set(named)].join(', ') }, { cause });
}
