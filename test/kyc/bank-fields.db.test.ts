import { evidenceOf } from './kyc-bodies';
import { type KycResponse, type KycGateway, openedSession, startKycGateway } from './kyc-gateway';
import { stateOf } from './scripted-ramps';

const BANK = {
  bankAccountNumber: '000123456789',
  bankRoutingNumber: '021000021',
  bankName: 'Chase',
  bankBeneficiaryName: 'ANA LIMA',
  beneficiaryStreetLine1: '1 Main St',
  beneficiaryCity: 'New York',
  beneficiaryState: 'NY',
  beneficiaryPostalCode: '10001',
  beneficiaryCountry: 'USA',
};
const NAMES = Object.keys(BANK);

let gateway: KycGateway;
let kycUserId: string;
beforeAll(async () => {
  gateway = await startKycGateway();
  const opened = await openedSession(gateway);
  ({ kycUserId } = opened);
  gateway.primary.state = stateOf('approved');
  await gateway.call('POST', `/api/v1/kyc/sessions/${kycUserId}/submit`, { body: evidenceOf(opened.cpf) });
  await gateway.call('GET', `/api/v1/kyc/status?kycUserId=${kycUserId}`);
});
afterAll(() => gateway.stop());

const unlock = (fields: object): Promise<KycResponse> =>
  gateway.call('POST', '/api/v1/kyc/currency-unlock', { body: { kycUserId, currency: 'USD', ...fields } });
/** Requests a price for a payout to a bank account. Everything but the bank fields is valid. */
const quote = (fields: object): Promise<KycResponse> => {
  const route = { originChain: 'polygon', destinationChain: 'fiat', tokenOut: 'USD', amountIn: '100000000' };
  const tokenIn = '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359';
  return gateway.call('GET', `/v2/swap/quote?${new URLSearchParams({ ...route, tokenIn, ...fields }).toString()}`);
};
const problems = ({ body }: KycResponse): string[] =>
  (body.error?.details?.errors ?? []).map(
    ({ path, message }: { path: string; message: string }) => `${path} ${message}`,
  );

const missing = (name: string): string => `${name} is required when another bank field is given`;
const CASES: readonly (readonly [string, object, readonly string[]])[] = [
  ['a bank alone', { bankName: 'Chase' }, NAMES.filter((name) => name !== 'bankName').map(missing)],
  ['spaces', { ...BANK, bankBeneficiaryName: '  ' }, [missing('bankBeneficiaryName')]],
  [
    'a wrong checksum',
    { ...BANK, bankRoutingNumber: '021000022' },
    ['bankRoutingNumber must be a valid ABA routing number of 9 digits'],
  ],
  [
    'nine zeros',
    { ...BANK, bankRoutingNumber: '000000000' },
    ['bankRoutingNumber must be a valid ABA routing number of 9 digits'],
  ],
  ['an account of letters', { ...BANK, bankAccountNumber: '12A' }, ['bankAccountNumber must be 1 to 17 digits']],
  ['an accent', { ...BANK, bankBeneficiaryName: 'João' }, ['bankBeneficiaryName must contain ASCII characters only']],
  [
    'a bidirectional override',
    { ...BANK, beneficiaryCity: 'New\u202eYork' },
    ['beneficiaryCity must not contain invisible characters'],
  ],
  ['a long name', { ...BANK, bankName: 'x'.repeat(257) }, ['bankName must be at most 256 characters long']],
  ['a long text', { ...BANK, description: 'x'.repeat(256) }, ['description must be at most 255 characters long']],
  ['another method', { ...BANK, usdPaymentMethod: 'SWIFT' }, ['usdPaymentMethod must be one of ACH, WIRE']],
  [
    'two invalid fields',
    { ...BANK, bankRoutingNumber: '1', beneficiaryCountry: 'Brazil' },
    [
      'bankRoutingNumber must be a valid ABA routing number of 9 digits',
      'beneficiaryCountry must be an ISO 3166-1 alpha-3 country code, such as USA',
    ],
  ],
];

describe('the bank fields', () => {
  it.each(CASES)('of a quote and of an unlocked currency follow the same rules: %s', async (_, fields, expected) => {
    const responses = await Promise.all([unlock(fields), quote(fields)]);
    expect(responses.map((response) => [response.status, problems(response)])).toEqual([
      [422, expected],
      [422, expected],
    ]);
  });

  it('are absent when all are empty; the payment method is checked nevertheless', async () => {
    const empty = Object.fromEntries(NAMES.map((name) => [name, '']));
    expect(await unlock({ ...empty, usdPaymentMethod: '', rampProvider: '' })).toMatchObject({ status: 200 });
    expect(problems(await unlock({ usdPaymentMethod: 'SWIFT' }))).toEqual([
      'usdPaymentMethod must be one of ACH, WIRE',
    ]);
  });

  it('are saved without surrounding spaces', async () => {
    const { length } = gateway.primary.saved;
    expect((await unlock({ ...BANK, bankBeneficiaryName: ' ANA LIMA ', beneficiaryCountry: 'us' })).status).toBe(200);
    expect(gateway.primary.saved.slice(length)).toMatchObject([{ beneficiary: { name: 'ANA LIMA', country: 'USA' } }]);
  });
});
