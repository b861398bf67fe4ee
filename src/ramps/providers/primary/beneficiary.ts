import { serviceError } from '../../../errors/service-error';
import { parseCountry, type UsdBeneficiary } from '../../usd-beneficiary';
import { PRIMARY } from './failures';
import type { PrimaryRampApi, AccountCall } from './ramp-api';
import { created, readResponse, usdBeneficiaries } from './api-schemas';

const PATH = '/v2/account/beneficiaries/bank-accounts/usd/';
const MAX_ALIAS = 100;
const COUNTRY = 'USA';

/**
 * Returns the ramp's id of a bank account, which is saved once and found by its numbers afterwards.
 *
 * @throws UpstreamError; RAMP_PROVIDER_NOT_ELIGIBLE for a beneficiary outside the United States
 */
export async function usdBeneficiaryId(
  { http }: PrimaryRampApi,
  beneficiary: UsdBeneficiary,
  { accountId, signal }: AccountCall,
): Promise<string> {
  const query = { subAccountId: accountId };
  const beneficiaries = readResponse(usdBeneficiaries, await http.get(PATH, query, signal));
  const saved = beneficiaries.find(
    ({ bankAccountNumber, bankRoutingNumber }) =>
      bankAccountNumber === beneficiary.accountNumber && bankRoutingNumber === beneficiary.routingNumber,
  );
  if (saved !== undefined) return saved.id;
  if (parseCountry(beneficiary.country) !== COUNTRY) {
    const reason = 'it pays US dollars to beneficiaries in the United States only';
    throw serviceError('RAMP_PROVIDER_NOT_ELIGIBLE', { provider: PRIMARY, reason });
  }
  const response = await http.call({ method: 'POST', path: PATH, query, body: beneficiaryBody(beneficiary), signal });
  return readResponse(created, response).id;
}

function beneficiaryBody(beneficiary: UsdBeneficiary): object {
  const { alias, description, street, city, state, postalCode } = beneficiary;
  const [streetLine1 = '', ...rest] = street;
  return {
    alias: alias.slice(0, MAX_ALIAS),
    ...(description === undefined ? {} : { description }),
    bankAccountNumber: beneficiary.accountNumber,
    bankRoutingNumber: beneficiary.routingNumber,
    bankBeneficiaryName: beneficiary.name,
    bankName: beneficiary.bankName,
    beneficiaryAddress: {
      streetLine1,
      ...(rest.length === 0 ? {} : { streetLine2: rest.join(', ') }),
      city,
      state,
      postalCode,
      country: COUNTRY,
    },
  };
}
