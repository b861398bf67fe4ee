import { randomBytes } from 'node:crypto';
import { resolveAccountHolder } from '../../src/kyc/account-holder';
import type { CustomerId } from '../../src/auth/principal';
import { isServiceError } from '../../src/errors/service-error';
import { createPersonalDataVault } from '../../src/persistence/personal-data';
import { pdf, png } from './images';
import { evidenceOf, image, secondaryOf } from './kyc-bodies';
import { BLOCKED, type KycGateway, newWallet, type Opened, openedSession, startKycGateway } from './kyc-gateway';
import { stateOf } from './scripted-ramps';

let gateway: KycGateway;
beforeAll(async () => {
  gateway = await startKycGateway();
});
afterAll(() => gateway.stop());
beforeEach(() => {
  for (const ramp of [gateway.primary, gateway.secondary]) Object.assign(ramp, { state: stateOf('created') });
});

const submit = ({ kycUserId }: Opened, body: object) =>
  gateway.call('POST', `/api/v1/kyc/sessions/${kycUserId}/submit`, { body });
const statusOf = (query: string, asOther = false) =>
  gateway.call('GET', `/api/v1/kyc/status?${query}`, { asOther }).then(({ body }) => body);
const graphql = (query: string) => gateway.call('POST', '/graphql', { body: { query } });

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

describe('a person', () => {
  it('is verified by the primary ramp, which the first status request after the submission polls', async () => {
    const opened = await openedSession(gateway);
    const { submissions } = gateway.primary;
    const sentBefore = submissions.length;
    const submitted = await submit(opened, evidenceOf(opened.cpf));
    expect(submitted.body).toMatchObject({ status: 'provider_pending', provider: 'avenia', brlaEnabled: false });
    expect(submissions).toHaveLength(sentBefore + 1);
    expect(submissions.at(-1)!.person).toMatchObject({ fullName: 'Ana Beatriz Lima', taxId: opened.cpf });
    gateway.primary.state = stateOf('approved');
    const { polls } = gateway.primary;
    const { kycUserId, walletAddress } = opened;
    const requestedAt = Date.now();
    expect(await statusOf(`kycUserId=${kycUserId}`)).toEqual({
      kycUserId,
      provider: 'avenia',
      status: 'approved',
      providerStatus: 'APPROVED',
      retryable: false,
      brlaEnabled: true,
      usdEnabled: false,
      eurEnabled: false,
      ramps: {},
      walletAddress,
      walletAddresses: [walletAddress],
      updatedAt: expect.any(String),
    });
    expect(gateway.primary.polls).toBe(polls + 1);
    const account = await gateway.test.database.rampAccount.findFirstOrThrow({ where: { profileId: kycUserId } });
    expect(account.polledAt!.getTime()).toBeGreaterThanOrEqual(requestedAt);
    expect(account.polledAt!.getTime()).toBeLessThanOrEqual(Date.now());
    // The cooldown of that poll lasts as long as these requests take.
    const polledAt = new Date(Date.now() + 3_600_000);
    await gateway.test.database.rampAccount.updateMany({ where: { profileId: kycUserId }, data: { polledAt } });
    await Promise.all(Array.from({ length: 10 }, () => statusOf(`kycUserId=${kycUserId}`)));
    expect(gateway.primary.polls).toBe(polls + 1);
    expect((await submit(opened, evidenceOf(opened.cpf))).body.status).toBe('approved');
    expect(submissions).toHaveLength(sentBefore + 1);
  });

  it('has one account and one submission at a ramp under concurrent submissions', async () => {
    const opened = await openedSession(gateway);
    const [accounts, submissions] = [gateway.primary.opened.length, gateway.primary.submissions.length];
    const responses = await Promise.all(Array.from({ length: 8 }, () => submit(opened, evidenceOf(opened.cpf))));
    expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200));
    expect(gateway.primary.opened).toHaveLength(accounts + 1);
    expect(gateway.primary.submissions).toHaveLength(submissions + 1);
  });

  it('may submit again after a failed submission', async () => {
    const opened = await openedSession(gateway);
    gateway.primary.failure = new Error('connection lost');
    expect((await submit(opened, evidenceOf(opened.cpf))).status).toBe(500);
    gateway.primary.failure = undefined;
    expect((await statusOf(`kycUserId=${opened.kycUserId}`)).status).toBe('created');
    expect((await submit(opened, evidenceOf(opened.cpf))).body.status).toBe('provider_pending');
  });

  it('is verified by the secondary ramp without a change of the primary status', async () => {
    const opened = await openedSession(gateway);
    gateway.secondary.state = stateOf('created', { verificationLink: 'https://verify.example/1' });
    expect((await submit(opened, secondaryOf(opened.cpf))).body.ramps.unblockpay.status).toBe('created');
    const ramps = {
      unblockpay: {
        status: 'created',
        verificationLink: 'https://verify.example/1',
        capabilities: { BRL: false, USD: false },
      },
    };
    const created = await statusOf(`kycUserId=${opened.kycUserId}`);
    expect(created).toMatchObject({ status: 'created', usdEnabled: false, ramps });
    const { polls } = gateway.secondary;
    const path = `/api/v1/kyc/sessions/${opened.kycUserId}/documents`;
    const document = { rampProvider: 'UnblockPay', documentType: 'NATIONAL_ID', documentSide: 'FRONT', file: image() };
    expect((await gateway.call('POST', path, { body: document })).status).toBe(200);
    const proof = { rampProvider: 'secondary', documentType: 'PROOF_OF_ADDRESS', file: image(pdf()) };
    expect((await gateway.call('POST', path, { body: proof })).body.ramps).toHaveProperty('secondary');
    expect(gateway.secondary.polls).toBe(polls);
    expect(gateway.secondary.documents.slice(-2).map(({ side, file }) => [side, file.mimeType])).toEqual([
      ['FRONT', 'image/png'],
      [undefined, 'application/pdf'],
    ]);
    gateway.secondary.state = stateOf('approved', { capabilities: { BRL: true, USD: true } });
    const after = await statusOf(`kycUserId=${opened.kycUserId}`);
    expect(after).toMatchObject({ status: 'created', usdEnabled: false, brlaEnabled: false });
    expect(after.ramps.unblockpay).toMatchObject({ status: 'approved', capabilities: { BRL: true, USD: true } });
    const taken = gateway.secondary.documents.length;
    expect((await gateway.call('POST', path, { body: document })).status).toBe(200);
    expect(gateway.secondary.documents).toHaveLength(taken);
  });

  it('unlocks dollars once approved, with one saved account for each bank account', async () => {
    const opened = await openedSession(gateway);
    await submit(opened, evidenceOf(opened.cpf));
    gateway.primary.state = stateOf('approved');
    const body = { kycUserId: opened.kycUserId, currency: 'USD', rampProvider: 'AVENIA', ...BANK };
    const saved = gateway.primary.saved.length;
    const { body: unlocked } = await gateway.call('POST', '/api/v1/kyc/currency-unlock', { body });
    expect(unlocked).toEqual({
      kycUserId: opened.kycUserId,
      currency: 'USD',
      status: 'approved',
      usdEnabled: true,
      externalAccountId: expect.any(String),
    });
    expect((await gateway.call('POST', '/api/v1/kyc/currency-unlock', { body })).body).toEqual(unlocked);
    expect(gateway.primary.saved).toHaveLength(saved + 1);
    const elsewhere = { ...body, beneficiaryCountry: 'BR' };
    const { status, body: refused } = await gateway.call('POST', '/api/v1/kyc/currency-unlock', { body: elsewhere });
    expect([status, refused.error.details.errors.map(({ path }: any) => path)]).toEqual([422, ['beneficiaryCountry']]);
  });

  it('is found by id, else by the id of the customer, else by the wallet and e-mail', async () => {
    const [one, two] = [await openedSession(gateway), await openedSession(gateway)];
    const found = async (query: string) => (await statusOf(query)).kycUserId ?? 'none';
    expect(await found(`kycUserId=${one.kycUserId}&walletAddress=${two.walletAddress}`)).toBe(one.kycUserId);
    expect(await found(`walletAddress=${two.walletAddress}&email=${two.email.toUpperCase()}`)).toBe(two.kycUserId);
    expect(await found(`walletAddress=${two.walletAddress}&email=${one.email}`)).toBe('none');
    expect((await gateway.call('GET', '/api/v1/kyc/status')).status).toBe(422);
  });

  it('does not exist for other customers', async () => {
    const { kycUserId, walletAddress, cpf } = await openedSession(gateway);
    const responses = await Promise.all([
      gateway.call('GET', `/api/v1/kyc/status?kycUserId=${kycUserId}`, { asOther: true }),
      gateway.call('GET', `/api/v1/kyc/status?walletAddress=${walletAddress}`, { asOther: true }),
      gateway.call('GET', `/api/v1/kyc/${kycUserId}/wallets`, { asOther: true }),
      gateway.call('POST', `/api/v1/kyc/sessions/${kycUserId}/submit`, { asOther: true, body: evidenceOf(cpf) }),
    ]);
    for (const { status, body } of responses) {
      expect([status, body.error.code]).toEqual([404, 'KYC_PROFILE_NOT_FOUND']);
    }
  });

  it('may move money through a ramp only after approval', async () => {
    const opened = await openedSession(gateway);
    const vault = createPersonalDataVault({
      keys: [{ version: 1, key: Buffer.from('cd'.repeat(32), 'hex') }],
      indexKey: Buffer.from('ef'.repeat(32), 'hex'),
    });
    const [customerId] = gateway.customerIds as readonly CustomerId[];
    const named = { ramp: 'primary', name: 'Avenia' } as const;
    const query = { ...named, customerId: customerId!, wallet: opened.walletAddress, rail: 'PIX' } as const;
    const { database } = gateway.test;
    const deps = { database, vault, pollReadOnly: () => Promise.resolve() };
    const resolve = (change: object = {}) =>
      resolveAccountHolder(deps, { ...query, ...change }, AbortSignal.timeout(10_000)).catch((error: unknown) =>
        isServiceError(error) ? error.code : error,
      );
    expect(await resolve()).toBe('RAMP_ACCOUNT_ID_MISSING');
    expect(await resolve({ wallet: newWallet() })).toBe('KYC_PROFILE_NOT_FOUND');
    expect(await resolve({ ramp: 'secondary' })).toBe('SECONDARY_RAMP_KYC_NOT_PROVISIONED');
    await submit(opened, evidenceOf(opened.cpf));
    expect(await resolve()).toBe('KYC_PROFILE_INCOMPLETE_FOR_RAMP');
    gateway.primary.state = stateOf('approved');
    await statusOf(`kycUserId=${opened.kycUserId}`);
    const account = { kycUserId: opened.kycUserId, accountId: expect.stringMatching(/^primary-/) };
    expect(await resolve()).toMatchObject({ account, person: { taxId: opened.cpf } });
  });
});

describe('wallets', () => {
  it('are linked and unlinked over REST, and lead to the person in the graph', async () => {
    const { kycUserId, walletAddress } = await openedSession(gateway);
    const added = newWallet();
    const path = `/api/v1/kyc/${kycUserId}/wallets`;
    const linked = await gateway.call('POST', path, { body: { walletAddress: added.toLowerCase() } });
    expect(linked).toEqual({
      status: 200,
      body: { kycUserId, walletAddress, walletAddresses: [walletAddress, added] },
    });
    const query = `{ wallet(address: "${added}") { address kycProfile { kycUserId status } } }`;
    expect((await graphql(query)).body.data.wallet.kycProfile).toEqual({ kycUserId, status: 'created' });
    const { body } = await gateway.call('DELETE', `${path}/${walletAddress}`);
    expect(body).toEqual({ kycUserId, walletAddress: added, walletAddresses: [added] });
  });

  it('that are blocked are refused', async () => {
    const { kycUserId } = await openedSession(gateway);
    const link = { body: { walletAddress: BLOCKED } };
    expect((await gateway.call('POST', `/api/v1/kyc/${kycUserId}/wallets`, link)).status).toBe(403);
    const session = { cpf: '52998224725', email: 'a@example.com', walletAddress: BLOCKED };
    expect((await gateway.call('POST', '/api/v1/kyc/sessions', { body: session })).status).toBe(403);
  });
});

describe('bodies', () => {
  it('of evidence may have three images of 8 MB; other bodies may not', async () => {
    const opened = await openedSession(gateway);
    const large = image(png(randomBytes(8 * 1024 * 1024 - 200)));
    const evidence = evidenceOf(opened.cpf);
    evidence.documents = { ...evidence.documents, front: large, back: large };
    evidence.liveness.image = large;
    expect((await submit(opened, evidence)).body.status).toBe('provider_pending');
    const session = { cpf: opened.cpf, email: large.base64.slice(0, 2_000_000), walletAddress: opened.walletAddress };
    expect((await gateway.call('POST', '/api/v1/kyc/sessions', { body: session })).status).toBe(413);
  });

  it('leave no personal data in the log or in any table', async () => {
    const opened = await openedSession(gateway);
    const evidence = evidenceOf(opened.cpf);
    const name = `Iracema${randomBytes(6).toString('hex')}`;
    const marked = png(randomBytes(64));
    Object.assign(evidence.applicant, { fullName: name, phone: '+5511987650001' });
    evidence.documents.attestation.extracted.fullName = name;
    evidence.documents.front = image(marked);
    evidence.address.streetAddress = `Rua ${name}`;
    await submit(opened, { ...evidence, liveness: { ...evidence.liveness, image: { url: `https://${name}.test/a` } } });
    await submit(opened, evidence);
    await submit(opened, secondaryOf(opened.cpf));
    await statusOf(`kycUserId=${opened.kycUserId}&email=${encodeURIComponent(opened.email)}`);
    const { cpf } = opened;
    const dotted = `${cpf.slice(0, 3)}.${cpf.slice(3, 6)}.${cpf.slice(6, 9)}-${cpf.slice(9)}`;
    const base64 = marked.toString('base64');
    const canaries = [cpf, dotted, name, opened.email, encodeURIComponent(opened.email), '+5511987650001'];
    canaries.push(base64.slice(40, 100), marked.subarray(40, 80).toString('hex'));
    const dump = await dumpOf(gateway);
    expect(dump).toContain(opened.kycUserId);
    expect(gateway.log()).toContain('/api/v1/kyc');
    const bytes = canaries.map((canary) => Buffer.from(canary).toString('hex'));
    for (const canary of [...canaries, ...bytes]) {
      expect({ canary, dumped: dump.includes(canary) }).toEqual({ canary, dumped: false });
      expect({ canary, logged: gateway.log().includes(canary) }).toEqual({ canary, logged: false });
    }
  });
});

/** Every row of every table as text; bytes in hexadecimal. */
async function dumpOf({ test: { database } }: KycGateway): Promise<string> {
  const tables = await database.$queryRaw<{ name: string }[]>`
    SELECT format('%I.%I', table_schema, table_name) AS name FROM information_schema.tables
     WHERE table_schema NOT IN ('pg_catalog', 'information_schema') AND table_type = 'BASE TABLE'`;
  const rows = await Promise.all(
    tables.map(({ name }) => database.$queryRawUnsafe(`SELECT t::text AS row FROM ${name} t`)),
  );
  return JSON.stringify(rows);
}
