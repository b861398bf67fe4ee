import { randomUUID } from 'node:crypto';
import { cpfOf } from '../../scripts/demo/person-evidence';
import { NATIVE_TOKEN, ZERO_ADDRESS } from '../../src/chains/addresses';
import { type KycResponse, type KycGateway, newWallet, openedSession, startKycGateway } from './kyc-gateway';

let gateway: KycGateway;
beforeAll(async () => {
  gateway = await startKycGateway();
});
afterAll(() => gateway.stop());

const open = (fields: object): Promise<KycResponse> =>
  gateway.call('POST', '/api/v1/kyc/sessions', {
    body: { cpf: cpfOf(randomUUID()), email: 'ana@example.com', walletAddress: newWallet(), ...fields },
  });
const statusBy = (query: Record<string, string>): Promise<KycResponse> =>
  gateway.call('GET', `/api/v1/kyc/status?${new URLSearchParams(query).toString()}`);
const problems = ({ body }: KycResponse): string[] =>
  body.error.details.errors.map(({ path, message }: { path: string; message: string }) => `${path} ${message}`);

describe('a person whose session is opened again', () => {
  it('is found by the last e-mail and id', async () => {
    const { cpf, walletAddress, kycUserId, email } = await openedSession(gateway);
    const [first, last] = [`user-${cpf}`, `customer-${cpf}`];
    expect((await open({ cpf, walletAddress, email, externalUserId: first })).body.kycUserId).toBe(kycUserId);
    const renewed = await open({ cpf, walletAddress, email: 'new@example.com', externalUserId: last });
    expect(renewed.body).toMatchObject({ kycUserId, walletAddresses: [walletAddress] });
    expect((await statusBy({ walletAddress, email: 'NEW@example.com' })).body.kycUserId).toBe(kycUserId);
    expect((await statusBy({ walletAddress, email })).status).toBe(404);
    expect((await statusBy({ externalUserId: last })).body.kycUserId).toBe(kycUserId);
    expect((await statusBy({ externalUserId: first })).status).toBe(404);
  });

  it('keeps the id of the customer when none is given', async () => {
    const externalUserId = randomUUID();
    const { body } = await open({ externalUserId, cpf: '52998224725' });
    await open({ cpf: '52998224725', walletAddress: body.walletAddress });
    expect((await statusBy({ externalUserId })).body.kycUserId).toBe(body.kycUserId);
  });
});

it('a profile is updated by changes of its wallets', async () => {
  const { kycUserId, walletAddress } = await openedSession(gateway);
  const another = newWallet();
  const wallets = `/api/v1/kyc/${kycUserId}/wallets`;
  const link = () => gateway.call('POST', wallets, { body: { walletAddress: another } });
  const unlink = () => gateway.call('DELETE', `${wallets}/${another}`);
  const ages: string[] = [];
  for (const change of [() => statusBy({ kycUserId }), link, link, unlink, unlink]) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    await change();
    ages.push((await statusBy({ walletAddress })).body.updatedAt);
  }
  const [opened, linked, again, unlinked, refused] = ages;
  expect([linked! > opened!, again === linked, unlinked! > linked!, refused === unlinked]).toEqual(Array(4).fill(true));
});

describe('a session', () => {
  it.each([
    [{ taxIdCountry: 'USA' }, ['taxIdCountry must be BRA with a cpf']],
    [{ cpf: undefined }, ['cpf is required, or taxId']],
    [{ cpf: '12345678900' }, ['cpf must be a valid tax id']],
    [{ taxId: '12345678909' }, ['cpf must not be given together with taxId']],
    [{ cpf: '1\u202e2' }, ['cpf must not contain invisible characters']],
    [
      { cpf: undefined, taxId: '123-45-6789', taxIdCountry: 'usa' },
      ['taxIdCountry must be an ISO 3166-1 alpha-3 country code, such as BRA'],
    ],
  ])('with %j is refused with exactly its invalid fields', async (fields, expected) => {
    const response = await open(fields);
    expect([response.status, problems(response)]).toEqual([422, expected]);
  });

  it.each(['\u00ad', '\u2028', '\u200b', '\u2066', '\u{e0041}'])(
    'refuses an id with an invisible character: %j',
    async (hidden) => {
      const response = await open({ externalUserId: `user${hidden}1` });
      expect([response.status, problems(response)]).toEqual([
        422,
        ['externalUserId must not contain invisible characters'],
      ]);
    },
  );

  it.each([ZERO_ADDRESS, NATIVE_TOKEN.toLowerCase(), '11111111111111111111111111111111'])(
    'refuses a wallet without a private key, and links none: %s',
    async (walletAddress) => {
      const { kycUserId } = await openedSession(gateway);
      const linked = await gateway.call('POST', `/api/v1/kyc/${kycUserId}/wallets`, { body: { walletAddress } });
      for (const response of [await open({ walletAddress }), linked]) {
        expect([response.status, problems(response)]).toEqual([
          422,
          ['walletAddress must be a wallet address, not a reserved address'],
        ]);
      }
    },
  );
});
