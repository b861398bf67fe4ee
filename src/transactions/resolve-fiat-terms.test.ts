import { fakeFiat, fakeRamp, testVault } from '../../test/swaps/fake-fiat';
import { ALICE, BRL, CUSTOMER, quoteRequest, rejection, USDC } from '../../test/swaps/swap-world';
import { serviceError } from '../errors/service-error';
import { profileSealContext } from '../kyc/profile';
import type { StoredQuote } from '../quotes/find-quote';
import type { PayoutDestination } from '../ramps/ramp-provider';
import type { OnUncheckedPixKey } from '../ramps/unchecked-pix-key';
import { resolveFiatTerms } from './resolve-fiat-terms';

const KYC_USER = '01890a5d-ac96-774b-bcce-b302099a8057';
const PERSON = {
  taxId: '12345678909',
  taxIdCountry: 'BRA',
  email: 'ana@example.com',
  fullName: 'Ana Lima',
  birthDate: '1990-01-31',
  address: { country: 'BRA', state: 'SP', city: 'São Paulo', zipCode: '01310100', streetAddress: 'Avenida Paulista' },
};
const PIX: PayoutDestination = { rail: 'PIX', pixKey: 'ana@example.com', thirdParty: false };

/** One person approved by the ramp, and the ramp's lookup of Pix keys. */
function deps(lookUpPixKey: (key: string) => Promise<void>, onUncheckedPixKey?: OnUncheckedPixKey) {
  const account = { accountId: 'account-1', status: 'approved' };
  const profile = {
    externalUserId: null,
    updatedAt: new Date(),
    person: testVault.seal(PERSON, profileSealContext(KYC_USER)),
  };
  const database = {
    kycWallet: { findFirst: () => Promise.resolve({ profileId: KYC_USER }) },
    rampAccount: { findFirst: () => Promise.resolve(account) },
    kycProfile: { findFirst: () => Promise.resolve(profile) },
  } as never;
  const ramps = { primary: fakeRamp('primary', { lookUpPixKey }), secondary: fakeRamp('secondary') };
  return fakeFiat({ database, ramps, onUncheckedPixKey });
}

/** An off-ramp to the Pix key, which the quote has or not. */
function executed(
  lookUpPixKey: (key: string) => Promise<void>,
  { named, onUncheckedPixKey }: { readonly named: boolean; readonly onUncheckedPixKey?: OnUncheckedPixKey },
) {
  const fiat = {
    ramp: 'primary',
    name: 'first',
    rail: 'PIX',
    thirdParty: false,
    account: undefined,
    payout: undefined,
  };
  const request = { ...quoteRequest(), tokenIn: USDC, tokenOut: BRL, fiat };
  const quote = { request, sealedPayout: named ? new Uint8Array(1) : undefined } as unknown as StoredQuote;
  const question = { customerId: CUSTOMER, quote, parties: { sender: ALICE, recipient: 'pix', payout: PIX } };
  return resolveFiatTerms(deps(lookUpPixKey, onUncheckedPixKey), question, AbortSignal.timeout(1000));
}

it.each([true, false])('looks the Pix key up before execution, stored with the quote: %j', async (named) => {
  const lookups: string[] = [];
  const request = await executed((key) => Promise.resolve(void lookups.push(key)), { named });
  expect(lookups).toEqual(['ana@example.com']);
  expect(request.fiat).toMatchObject({ account: { accountId: 'account-1', kycUserId: KYC_USER }, payout: PIX });
});

it('refuses to execute when the lookup of the Pix key is still unavailable', async () => {
  const failure = serviceError('PIX_KEY_LOOKUP_FAILED');
  expect(await rejection(executed(() => Promise.reject(failure), { named: true }))).toBe(failure);
  const unknown = serviceError('INVALID_PIX_KEY');
  expect(await rejection(executed(() => Promise.reject(unknown), { named: true }))).toBe(unknown);
});

it('executes when the ramp reports its lookup as broken, and reports the key as unchecked', async () => {
  const broken = serviceError('PIX_KEY_LOOKUP_FAILED', {}, { details: { upstreamStatus: 503 } });
  const onUncheckedPixKey = jest.fn();
  const executing = executed(() => Promise.reject(broken), { named: true, onUncheckedPixKey });
  await expect(executing).resolves.toMatchObject({ tokenOut: BRL });
  const unchecked = { ramp: 'primary', step: 'execution', failure: 'serverError' };
  expect(onUncheckedPixKey.mock.calls).toEqual([[unchecked]]);
});
