import { setTimeout as wait } from 'node:timers/promises';
import { createPersonalDataVault } from '../../src/persistence/personal-data';
import type { Evidence } from './evidence-cases';
import { evidenceOf, image, secondaryOf } from './kyc-bodies';
import { type KycResponse, type KycGateway, type Opened, openedSession, startKycGateway } from './kyc-gateway';
import { type ScriptedRamp, stateOf } from './scripted-ramps';

let gateway: KycGateway;
beforeAll(async () => {
  gateway = await startKycGateway();
});
afterAll(() => gateway.stop());
beforeEach(() => {
  for (const ramp of [gateway.primary, gateway.secondary]) {
    Object.assign(ramp, { state: stateOf('created'), failure: undefined });
  }
});

const send = ({ kycUserId }: Opened, body: object): Promise<KycResponse> =>
  gateway.call('POST', `/api/v1/kyc/sessions/${kycUserId}/submit`, { body });
const submit = (opened: Opened, change: (evidence: Evidence) => void = () => undefined): Promise<KycResponse> => {
  const body = evidenceOf(opened.cpf);
  change(body);
  return send(opened, body);
};
const statusOf = async ({ kycUserId }: Opened) =>
  (await gateway.call('GET', `/api/v1/kyc/status?kycUserId=${kycUserId}`)).body;
const codeOf = ({ status, body }: KycResponse) => [status, body.error?.code];
const accountAt = (provider: string, { kycUserId }: Opened) =>
  gateway.test.database.rampAccount.findUniqueOrThrow({
    where: { profileId_provider: { profileId: kycUserId, provider } },
  });

/** The stored data of a person. */
async function storedPerson({ kycUserId }: Opened): Promise<any> {
  const [key, indexKey] = ['cd', 'ef'].map((byte) => Buffer.from(byte.repeat(32), 'hex'));
  const { person } = await gateway.test.database.kycProfile.findUniqueOrThrow({ where: { id: kycUserId } });
  return createPersonalDataVault({ keys: [{ version: 1, key: key! }], indexKey: indexKey! }).open(
    person,
    `KycProfile:${kycUserId}`,
  );
}

/** Delays a request of a ramp until it is released. */
function held(ramp: ScriptedRamp, name: 'openAccount') {
  let release: () => void = () => undefined;
  const gone = new Promise<void>((resolve) => (release = resolve));
  const respond = ramp.provider[name] as (...args: unknown[]) => Promise<unknown>;
  let arrived = 0;
  Object.assign(ramp.provider, {
    async [name](...args: unknown[]) {
      arrived += 1;
      await gone;
      return respond(...args);
    },
  });
  return {
    async received() {
      while (arrived === 0) await wait(10);
    },
    release() {
      release();
      Object.assign(ramp.provider, { [name]: respond });
    },
  };
}

describe('concurrent submissions', () => {
  it('send one to the primary ramp, and store that one', async () => {
    const opened = await openedSession(gateway);
    const { length } = gateway.primary.submissions;
    const ramp = held(gateway.primary, 'openAccount');
    const submitAs = (fullName: string) => submit(opened, ({ applicant }) => (applicant.fullName = fullName));
    const first = submitAs('Ana First');
    await ramp.received();
    const second = submitAs('Ana Second');
    await wait(200);
    ramp.release();
    for (const response of [await first, await second]) expect(response.body.status).toBe('provider_pending');
    const [sent, ...more] = gateway.primary.submissions.slice(length);
    expect(more).toEqual([]);
    expect(await storedPerson(opened)).toMatchObject({ fullName: sent!.person.fullName });
  });

  it('send one to the secondary ramp, and keep that one stored', async () => {
    const opened = await openedSession(gateway);
    const ramp = held(gateway.secondary, 'openAccount');
    const submitAs = (lastName: string) => send(opened, { ...secondaryOf(opened.cpf), lastName });
    const first = submitAs('First');
    await ramp.received();
    const second = submitAs('Second');
    await wait(100);
    ramp.release();
    expect([(await first).status, (await second).status, (await submitAs('Third')).status]).toEqual([200, 200, 200]);
    expect(gateway.secondary.opened.filter(({ kycUserId }) => kycUserId === opened.kycUserId)).toHaveLength(1);
    expect(await storedPerson(opened)).toMatchObject({ fullName: 'Ana Beatriz First' });
  });

  it('are refused once one has ended the verification', async () => {
    const opened = await openedSession(gateway);
    const { length } = gateway.primary.submissions;
    const ramp = held(gateway.primary, 'openAccount');
    const sound = submit(opened);
    await ramp.received();
    const minor = await submit(opened, ({ documents }) => (documents.attestation.extracted.birthDate = '2015-01-01'));
    ramp.release();
    expect([codeOf(minor), codeOf(await sound)]).toEqual([
      [409, 'UNDER_18'],
      [409, 'UNDER_18'],
    ]);
    expect(gateway.primary.submissions).toHaveLength(length);
    expect(await statusOf(opened)).toMatchObject({ status: 'blocked', rejectReason: 'UNDER_18' });
  });
});

describe('the opening of an account', () => {
  const submitTo = { primary: submit, secondary: (opened: Opened) => send(opened, secondaryOf(opened.cpf)) };

  it.each(['primary', 'secondary'] as const)('searches at the %s ramp only after an earlier request', async (name) => {
    const [opened, ramp] = [await openedSession(gateway), gateway[name]];
    ramp.failure = new Error('connection lost');
    expect((await submitTo[name](opened)).status).toBe(500);
    const { openingStartedAt } = await accountAt(name, opened);
    ramp.failure = undefined;
    expect((await submitTo[name](opened)).status).toBe(200);
    const { accountId } = await accountAt(name, opened);
    const [first, second, ...more] = ramp.opened.filter(({ kycUserId }) => kycUserId === opened.kycUserId);
    expect([first!.requestedSince, second!.requestedSince, more]).toEqual([undefined, openingStartedAt, []]);
    expect([await second!.isTaken!(accountId!), await second!.isTaken!('another')]).toEqual([true, false]);
  });

  it('is taken over from another process when its lease has expired', async () => {
    const opened = await openedSession(gateway);
    const id = { profileId: opened.kycUserId, provider: 'primary' };
    const openingStartedAt = new Date(Date.now() - 31_000);
    const openingLeasedUntil = new Date(Date.now() - 1000);
    const row = { ...id, customerId: gateway.customerIds[0]!, openingStartedAt, openingLeasedUntil };
    await gateway.test.database.rampAccount.create({ data: row });
    expect((await submit(opened)).body.status).toBe('provider_pending');
    expect(gateway.primary.opened.at(-1)!.requestedSince).toEqual(openingStartedAt);
  });
});

describe('a submission to the secondary ramp', () => {
  it('sends its own e-mail, and the e-mail of the session still finds the person', async () => {
    const opened = await openedSession(gateway);
    await send(opened, { ...secondaryOf(opened.cpf), email: 'work@example.com' });
    const person = { email: 'work@example.com', fullName: 'Ana Beatriz Lima', lastName: 'Lima' };
    expect(gateway.secondary.opened.at(-1)!.person).toMatchObject(person);
    const query = `walletAddress=${opened.walletAddress}&email=${opened.email}`;
    expect((await gateway.call('GET', `/api/v1/kyc/status?${query}`)).status).toBe(200);
  });

  it('is refused with every field that differs from the session or is invalid', async () => {
    const opened = await openedSession(gateway);
    const body = { ...secondaryOf(opened.cpf), cpf: '52998224725', taxIdCountry: 'USA', phone: '' };
    const response = await send(opened, body);
    expect(codeOf(response)).toEqual([422, 'VALIDATION_ERROR']);
    const message = 'must equal the tax id of the session';
    expect(response.body.error.details.errors).toEqual([
      { path: 'phone', message: 'is required' },
      { path: 'cpf', message },
      { path: 'taxIdCountry', message },
    ]);
  });
});

describe('a misread document', () => {
  it.each([
    ['cpf', '1234567890', 'VALIDATION_ERROR'],
    ['cpf', 'ilegível', 'VALIDATION_ERROR'],
    ['birthDate', '2990-01-31', 'INVALID_BIRTH_DATE'],
    ['birthDate', '0190-01-31', 'INVALID_BIRTH_DATE'],
  ] as const)('does not end a verification permanently: %s %s', async (field, text, code) => {
    const opened = await openedSession(gateway);
    const refused = await submit(opened, ({ documents }) => (documents.attestation.extracted[field] = text));
    expect(codeOf(refused)).toEqual([422, code]);
    expect((await submit(opened)).body.status).toBe('provider_pending');
  });
});

describe('a second submission', () => {
  /** A person with a rejection of the primary ramp that permits another submission. */
  async function rejectedOnce(): Promise<Opened> {
    const opened = await openedSession(gateway);
    await submit(opened);
    gateway.primary.state = stateOf('rejected_retryable', { rejectReason: 'BLURRED' });
    expect(await statusOf(opened)).toMatchObject({ status: 'rejected_retryable', retryable: true });
    return opened;
  }

  it('is polled by its own attempt, even when its response is lost', async () => {
    const opened = await rejectedOnce();
    expect((await accountAt('primary', opened)).attemptId).not.toBeNull();
    gateway.primary.failure = new Error('connection lost');
    expect((await submit(opened)).status).toBe(500);
    expect(await accountAt('primary', opened)).toMatchObject({
      status: 'rejected_retryable',
      rejectReason: 'BLURRED',
      providerStatus: 'REJECTED_RETRYABLE',
      attemptId: null,
      staleSince: expect.any(Date),
      submissionLeasedUntil: null,
      pollToken: null,
    });
    Object.assign(gateway.primary, { failure: undefined, state: stateOf('provider_pending') });
    expect(await statusOf(opened)).toMatchObject({ status: 'provider_pending' });
  });

  it('hides the first one while it is in progress', async () => {
    const opened = await rejectedOnce();
    const { body } = await submit(opened);
    expect(body).toMatchObject({ status: 'provider_pending', retryable: false });
    expect(body).not.toHaveProperty('rejectReason');
    expect(body).not.toHaveProperty('providerStatus');
  });
});

it('refused evidence causes no request to the ramp', async () => {
  const opened = await openedSession(gateway);
  gateway.primary.state = stateOf('provider_pending');
  expect((await submit(opened)).body.status).toBe('provider_pending');
  const { polls } = gateway.primary;
  const refused = await submit(opened, ({ documents }) => (documents.front = { base64: '!' }));
  expect([...codeOf(refused), gateway.primary.polls]).toEqual([422, 'INVALID_EVIDENCE_IMAGE', polls]);
  expect((await submit(opened)).body.status).toBe('provider_pending');
  expect(gateway.primary.polls).toBe(polls + 1);
});

it('a verification that was just approved is not blocked', async () => {
  const opened = await openedSession(gateway);
  await submit(opened);
  gateway.primary.state = stateOf('approved');
  const minor = await submit(opened, ({ documents }) => (documents.attestation.extracted.birthDate = '2015-01-01'));
  expect([...codeOf(minor), (await statusOf(opened)).status]).toEqual([409, 'UNDER_18', 'approved']);
});

describe('every invalid field is returned at once', () => {
  const paths = ({ status, body }: KycResponse) => [status, body.error.details.errors.map(({ path }: any) => path)];

  it('in a session', async () => {
    const body = { cpf: '123', email: 5, walletAddress: '0x12' };
    const response = await gateway.call('POST', '/api/v1/kyc/sessions', { body });
    expect(paths(response)).toEqual([422, ['email', 'walletAddress', 'cpf']]);
  });

  it('in a submission to the primary ramp', async () => {
    const body = { ...evidenceOf('52998224725'), address: 'Avenida Paulista' };
    Object.assign(body.applicant, { fullName: '', phone: 5 });
    const response = await gateway.call('POST', '/api/v1/kyc/sessions/unknown/submit', { body });
    expect(paths(response)).toEqual([422, ['kycUserId', 'applicant.phone', 'address', 'applicant.fullName']]);
  });

  it('in a submission to the secondary ramp, and in a document for it', async () => {
    const opened = await openedSession(gateway);
    const response = await send(opened, { ...secondaryOf(opened.cpf), firstName: '', lastName: 5, dateOfBirth: 'x' });
    expect(paths(response)).toEqual([422, ['lastName', 'firstName', 'dateOfBirth']]);
    const body = { rampProvider: 'secondary', documentType: 'RG', country: 'br', file: 'none' };
    const document = await gateway.call('POST', `/api/v1/kyc/sessions/${opened.kycUserId}/documents`, { body });
    expect(paths(document)).toEqual([422, ['file', 'documentType', 'country']]);
  });

  it('in a request for a currency', async () => {
    const body = { kycUserId: 'unknown', bankRoutingNumber: '1', bankName: 5, usdPaymentMethod: 'SWIFT' };
    const [status, [first, second, third, ...more]] = paths(
      await gateway.call('POST', '/api/v1/kyc/currency-unlock', { body }),
    );
    expect([status, first, second, third]).toEqual([422, 'kycUserId', 'currency', 'bankName']);
    expect(more).toEqual(expect.arrayContaining(['bankRoutingNumber', 'bankAccountNumber', 'usdPaymentMethod']));
    expect(more).not.toContain('bankName');
  });
});

it('a body that is too large is refused with the maximum', async () => {
  const opened = await openedSession(gateway);
  const front = image(Buffer.alloc(31 * 1024 * 1024));
  const response = await submit(opened, ({ documents }) => (documents.front = front));
  expect([...codeOf(response), response.body.error.details.errors]).toEqual([
    ...[413, 'VALIDATION_ERROR'],
    [{ path: 'body', message: 'is larger than 40 MB' }],
  ]);
  const other = await gateway.call('POST', '/api/v1/kyc/sessions', {
    body: { email: front.base64.slice(0, 1_100_000) },
  });
  expect(other.body.error.details.errors).toEqual([{ path: 'body', message: 'is larger than 1 MB' }]);
});
