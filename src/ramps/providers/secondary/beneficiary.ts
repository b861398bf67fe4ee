import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { SavedBeneficiary } from '../../kyc-provider';
import { parseCountry, type UsdBeneficiary } from '../../usd-beneficiary';
import { isOutcomeUnknown, notEligible } from './failures';
import { customerById, listEntries, apiPath, type SecondaryRampApi } from './ramp-api';
import { assertApproved, customerName } from './holder';
import { externalAccount, identified, readResponse } from './api-schemas';

interface BeneficiaryOfAccount {
  readonly accountId: string;
  readonly beneficiary: UsdBeneficiary;
}

/**
 * Finds the ramp's id of a bank account that is saved for a customer.
 *
 * @throws UpstreamError
 */
export async function findUsdAccount(
  api: SecondaryRampApi,
  { accountId, beneficiary }: BeneficiaryOfAccount,
  signal: AbortSignal,
): Promise<string | undefined> {
  const list = {
    path: apiPath('external-accounts'),
    entries: z.array(externalAccount),
    query: { customer_id: accountId },
  };
  const name = accountName(beneficiary);
  for await (const { id, customer_id, account_name, payment_rail, wire, ...flat } of listEntries(api, list, signal)) {
    // The ramp's filter is not trusted: an equal account of another customer must not receive a payout.
    if (customer_id !== undefined && customer_id !== accountId) continue;
    if (payment_rail !== undefined && !/wire/i.test(payment_rail)) continue;
    const { bank_account_number: number, routing_number: routing } = wire ?? flat;
    const isSame = number === beneficiary.accountNumber && routing === beneficiary.routingNumber;
    if (account_name === name || isSame) return id;
  }
  return undefined;
}

/**
 * Saves a bank account in the United States, once, and returns the ramp's id of it.
 *
 * @throws RAMP_PROVIDER_NOT_ELIGIBLE for ACH, which the ramp does not support; SECONDARY_RAMP_KYC_*; UpstreamError
 */
export async function saveUsdAccount(
  api: SecondaryRampApi,
  { accountId, beneficiary, method }: SavedBeneficiary & BeneficiaryOfAccount,
  signal: AbortSignal,
): Promise<string> {
  if (method !== 'WIRE') throw notEligible('it pays US dollars by wire only');
  const holder = await customerById(api, accountId, signal);
  assertApproved(holder);
  const account = { accountId, beneficiary };
  const existing = await findUsdAccount(api, account, signal);
  if (existing !== undefined) return existing;
  const isThirdParty = comparableName(customerName(holder)) !== comparableName(beneficiary.name);
  try {
    const body = accountBody(account, isThirdParty);
    return readResponse(identified, await api.http.post(apiPath('external-accounts'), body, signal)).id;
  } catch (error) {
    const saved = isOutcomeUnknown(error)
      ? await findUsdAccount(api, account, signal).catch(() => undefined)
      : undefined;
    if (saved !== undefined) return saved;
    throw error;
  }
}

function accountBody({ accountId, beneficiary }: BeneficiaryOfAccount, isThirdParty: boolean): object {
  const [street_line_1, ...more] = beneficiary.street;
  const address = {
    street_line_1,
    ...(more.length === 0 ? {} : { street_line_2: more.join(', ') }),
    city: beneficiary.city,
    state: beneficiary.state,
    postal_code: beneficiary.postalCode,
    country: parseCountry(beneficiary.country) ?? beneficiary.country,
  };
  const wire = {
    beneficiary_name: beneficiary.name,
    bank_name: beneficiary.bankName,
    bank_account_number: beneficiary.accountNumber,
    routing_number: beneficiary.routingNumber,
    address,
  };
  const account_name = accountName(beneficiary);
  return { customer_id: accountId, account_name, payment_rail: 'wire', is_third_party: isThirdParty, wire };
}

const FINGERPRINT_LENGTH = 16;

/** A name that finds the account again when its number is masked. The hash contains only data that the ramp has. */
function accountName({ alias, routingNumber, accountNumber, name }: UsdBeneficiary): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([routingNumber, accountNumber, name]))
    .digest('hex');
  return `${alias} ${hash.slice(0, FINGERPRINT_LENGTH)}`;
}

/** A name without accents, case and repeated spaces. */
const comparableName = (name: string): string =>
  name.normalize('NFD').replace(/\p{M}/gu, '').toUpperCase().split(/\s+/).filter(Boolean).join(' ');
