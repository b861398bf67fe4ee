import { setTimeout as wait } from 'node:timers/promises';
import { createPersonalDataVault } from '../../src/persistence/personal-data';
import type { Evidence } from './evidence-cases';
import { evidenceOf, image, secondaryOf } from './kyc-bodies';
import { type Answer, type KycGateway, type Opened, openedSession, startKycGateway } from './kyc-gateway';
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

const send = ({ kycUserId }: Opened, body: object): Promise<Answer> =>
  gateway.call('POST', `/api/v1/kyc/sessions/${kycUserId}/submit`, { body });
const submit = (opened: Opened, change: (evidence: Evidence) => void = () => undefined): Promise<Answer> => {
  const body = evidenceOf(opened.cpf);
  change(body);
  return send(opened, body);
};
const statusOf = async ({ kycUserId }: Opened) =>
  (await gateway.call('GET', `/api/v1/kyc/status?kycUserId=${kycUserId}`)).body;
const codeOf = ({ status, body }: Answer) => [status, body.error?.code];
const accountAt = (provider: string, { kycUserId }: Opened) =>
  gateway.test.database.rampAccount.findUniqueOrThrow({
    where: { profileId_provider: { profileId: kycUserId, provider } },
  });

/** What is kept of a person. */
async function knownOf({ kycUserId }: Opened): Promise<any> {
  const [key, indexKey] = ['cd', 'ef'].map((byte) => Buffer.from(byte.repeat(32), 'hex'));
  const { person } = await gateway.test.database.kycProfile.findUniqueOrThrow({ where: { id: kycUserId } });
  return createPersonalDataVault({ keys: [{ version: 1, key: key! }], indexKey: indexKey! }).open(
    person,
    `KycProfile:${kycUserId}`,
  );
}

/** Has a ramp take its time with one question, until it is let go. */
function held(ramp: ScriptedRamp, name: 'openAccount') {
  let letGo: () => void = () => undefined;
  const gone = new Promise<void>((resolve) => (letGo = resolve));
  const answer = ramp.provider[name] as (...args: unknown[]) => Promise<unknown>;
  let arrived = 0;
  Object.assign(ramp.provider, {
    async [name](...args: unknown[]) {
      arrived += 1;
      await gone;
      return answer(...args);
    },
  });
  return {
    async asked() {
      while (arrived === 0) await wait(10);
    },
    letGo() {
      letGo();
      Object.assign(ramp.provider, { [name]: answer });
    },
  };
}

describe('of several submissions at once', () => {
  it('the primary ramp is told one, and that one is kept', async () => {
    const opened = await openedSession(gateway);
    const { length } = gateway.primary.submissions;
    const ramp = held(gateway.primary, 'openAccount');
    const of = (fullName: string) => submit(opened, ({ applicant }) => (applicant.fullName = fullName));
    const first = of('Ana First');
    await ramp.asked();
    const second = of('Ana Second');
    await wait(200);
    ramp.letGo();
    for (const answer of [await first, await second]) expect(answer.body.status).toBe('provider_pending');
    const [told, ...more] = gateway.primary.submissions.slice(length);
    expect(more).toEqual([]);
    expect(await knownOf(opened)).toMatchObject({ fullName: told!.person.fullName });
  });

  it('the secondary ramp is told one, and that one is kept, then and later', async () => {
    const opened = await openedSession(gateway);
    const ramp = held(gateway.secondary, 'openAccount');
    const of = (lastName: string) => send(opened, { ...secondaryOf(opened.cpf), lastName });
    const first = of('First');
    await ramp.asked();
    const second = of('Second');
    await wait(100);
    ramp.letGo();
    expect([(await first).status, (await second).status, (await of('Third')).status]).toEqual([200, 200, 200]);
    expect(gateway.secondary.opened.filter(({ kycUserId }) => kycUserId === opened.kycUserId)).toHaveLength(1);
    expect(await knownOf(opened)).toMatchObject({ fullName: 'Ana Beatriz First' });
  });

  it('none is taken once another one has ended the verification', async () => {
    const opened = await openedSession(gateway);
    const { length } = gateway.primary.submissions;
    const ramp = held(gateway.primary, 'openAccount');
    const sound = submit(opened);
    await ramp.asked();
    const minor = await submit(opened, ({ documents }) => (documents.attestation.extracted.birthDate = '2015-01-01'));
    ramp.letGo();
    expect([codeOf(minor), codeOf(await sound)]).toEqual([
      [409, 'UNDER_18'],
      [409, 'UNDER_18'],
    ]);
    expect(gateway.primary.submissions).toHaveLength(length);
    expect(await statusOf(opened)).toMatchObject({ status: 'blocked', rejectReason: 'UNDER_18' });
  });
});

describe('an account that a ramp is asked for', () => {
  const submitTo = { primary: submit, secondary: (opened: Opened) => send(opened, secondaryOf(opened.cpf)) };

  it.each(['primary', 'secondary'] as const)(
    'is looked for where the %s ramp was asked before, and not where it was not',
    async (name) => {
      const [opened, ramp] = [await openedSession(gateway), gateway[name]];
      ramp.failure = new Error('the line is dead');
      expect((await submitTo[name](opened)).status).toBe(500);
      const { openingStartedAt } = await accountAt(name, opened);
      ramp.failure = undefined;
      expect((await submitTo[name](opened)).status).toBe(200);
      const { accountId } = await accountAt(name, opened);
      const [first, second, ...more] = ramp.opened.filter(({ kycUserId }) => kycUserId === opened.kycUserId);
      expect([first!.requestedSince, second!.requestedSince, more]).toEqual([undefined, openingStartedAt, []]);
      expect([await second!.isTaken!(accountId!), await second!.isTaken!('another')]).toEqual([true, false]);
    },
  );

  it('by a process that ended is asked for again when it has not been heard of for half a minute', async () => {
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
  it('gives the ramp an e-mail of its own, and leaves the person findable by that of the session', async () => {
    const opened = await openedSession(gateway);
    await send(opened, { ...secondaryOf(opened.cpf), email: 'work@example.com' });
    const told = { email: 'work@example.com', fullName: 'Ana Beatriz Lima', lastName: 'Lima' };
    expect(gateway.secondary.opened.at(-1)!.person).toMatchObject(told);
    const query = `walletAddress=${opened.walletAddress}&email=${opened.email}`;
    expect((await gateway.call('GET', `/api/v1/kyc/status?${query}`)).status).toBe(200);
  });

  it('is told whatever differs from the session, together with all else', async () => {
    const opened = await openedSession(gateway);
    const body = { ...secondaryOf(opened.cpf), cpf: '52998224725', taxIdCountry: 'USA', phone: '' };
    const answer = await send(opened, body);
    expect(codeOf(answer)).toEqual([422, 'VALIDATION_ERROR']);
    const message = 'must equal the tax id of the session';
    expect(answer.body.error.details.errors).toEqual([
      { path: 'phone', message: 'is required' },
      { path: 'cpf', message },
      { path: 'taxIdCountry', message },
    ]);
  });
});

describe('what was misread from a document', () => {
  it.each([
    ['cpf', '1234567890', 'VALIDATION_ERROR'],
    ['cpf', 'ilegível', 'VALIDATION_ERROR'],
    ['birthDate', '2990-01-31', 'INVALID_BIRTH_DATE'],
    ['birthDate', '0190-01-31', 'INVALID_BIRTH_DATE'],
  ] as const)('is no reason to end a verification for good: %s %s', async (field, text, code) => {
    const opened = await openedSession(gateway);
    const refused = await submit(opened, ({ documents }) => (documents.attestation.extracted[field] = text));
    expect(codeOf(refused)).toEqual([422, code]);
    expect((await submit(opened)).body.status).toBe('provider_pending');
  });
});

describe('a second submission', () => {
  /** Somebody whom the primary ramp has turned down, but not for good. */
  async function turnedDown(): Promise<Opened> {
    const opened = await openedSession(gateway);
    await submit(opened);
    gateway.primary.state = stateOf('rejected_retryable', { rejectReason: 'BLURRED' });
    expect(await statusOf(opened)).toMatchObject({ status: 'rejected_retryable', retryable: true });
    return opened;
  }

  it('is asked about by itself, not by the attempt before it, even when its answer is lost', async () => {
    const opened = await turnedDown();
    expect((await accountAt('primary', opened)).attemptId).not.toBeNull();
    gateway.primary.failure = new Error('the line is dead');
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

  it('shows nothing of the first one while it is under way', async () => {
    const opened = await turnedDown();
    const { body } = await submit(opened);
    expect(body).toMatchObject({ status: 'provider_pending', retryable: false });
    expect(body).not.toHaveProperty('rejectReason');
    expect(body).not.toHaveProperty('providerStatus');
  });
});

it('evidence that is refused has not reached the ramp, not even with a question', async () => {
  const opened = await openedSession(gateway);
  gateway.primary.state = stateOf('provider_pending');
  expect((await submit(opened)).body.status).toBe('provider_pending');
  const { asked } = gateway.primary;
  const refused = await submit(opened, ({ documents }) => (documents.front = { base64: '!' }));
  expect([...codeOf(refused), gateway.primary.asked]).toEqual([422, 'INVALID_EVIDENCE_IMAGE', asked]);
  expect((await submit(opened)).body.status).toBe('provider_pending');
  expect(gateway.primary.asked).toBe(asked + 1);
});

it('a verification that has just succeeded is ended by nothing', async () => {
  const opened = await openedSession(gateway);
  await submit(opened);
  gateway.primary.state = stateOf('approved');
  const minor = await submit(opened, ({ documents }) => (documents.attestation.extracted.birthDate = '2015-01-01'));
  expect([...codeOf(minor), (await statusOf(opened)).status]).toEqual([409, 'UNDER_18', 'approved']);
});

describe('every field that is wrong is told at once', () => {
  const paths = ({ status, body }: Answer) => [status, body.error.details.errors.map(({ path }: any) => path)];

  it('in a session', async () => {
    const body = { cpf: '123', email: 5, walletAddress: '0x12' };
    const answer = await gateway.call('POST', '/api/v1/kyc/sessions', { body });
    expect(paths(answer)).toEqual([422, ['email', 'walletAddress', 'cpf']]);
  });

  it('in a submission to the primary ramp', async () => {
    const body = { ...evidenceOf('52998224725'), address: 'Avenida Paulista' };
    Object.assign(body.applicant, { fullName: '', phone: 5 });
    const answer = await gateway.call('POST', '/api/v1/kyc/sessions/nobody/submit', { body });
    expect(paths(answer)).toEqual([422, ['kycUserId', 'applicant.phone', 'address', 'applicant.fullName']]);
  });

  it('in a submission to the secondary ramp, and in a document for it', async () => {
    const opened = await openedSession(gateway);
    const answer = await send(opened, { ...secondaryOf(opened.cpf), firstName: '', lastName: 5, dateOfBirth: 'x' });
    expect(paths(answer)).toEqual([422, ['lastName', 'firstName', 'dateOfBirth']]);
    const body = { rampProvider: 'secondary', documentType: 'RG', country: 'br', file: 'none' };
    const document = await gateway.call('POST', `/api/v1/kyc/sessions/${opened.kycUserId}/documents`, { body });
    expect(paths(document)).toEqual([422, ['file', 'documentType', 'country']]);
  });

  it('where a currency is asked for', async () => {
    const body = { kycUserId: 'nobody', bankRoutingNumber: '1', bankName: 5, usdPaymentMethod: 'SWIFT' };
    const [status, [first, second, third, ...more]] = paths(
      await gateway.call('POST', '/api/v1/kyc/currency-unlock', { body }),
    );
    expect([status, first, second, third]).toEqual([422, 'kycUserId', 'currency', 'bankName']);
    expect(more).toEqual(expect.arrayContaining(['bankRoutingNumber', 'bankAccountNumber', 'usdPaymentMethod']));
    expect(more).not.toContain('bankName');
  });
});

it('a body that is too large is told how large it may be', async () => {
  const opened = await openedSession(gateway);
  const front = image(Buffer.alloc(31 * 1024 * 1024));
  const answer = await submit(opened, ({ documents }) => (documents.front = front));
  expect([...codeOf(answer), answer.body.error.details.errors]).toEqual([
    ...[413, 'VALIDATION_ERROR'],
    [{ path: 'body', message: 'is larger than 40 MB' }],
  ]);
  const other = await gateway.call('POST', '/api/v1/kyc/sessions', {
    body: { email: front.base64.slice(0, 1_100_000) },
  });
  expect(other.body.error.details.errors).toEqual([{ path: 'body', message: 'is larger than 1 MB' }]);
}, 30_000);
