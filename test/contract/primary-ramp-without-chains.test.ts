import { constants, generateKeyPairSync, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startPrimaryRampEmulator } from '../../devnet/emulators/primary-ramp/start-primary-ramp-emulator';
import { createHttpClient } from '../../src/http/http-client';
import { createPrimaryRamp } from '../../src/ramps/providers/primary/primary-ramp';
import { primaryRampSignature } from '../../src/ramps/providers/primary/sign-request';
import { uploadFile } from '../../src/ramps/providers/primary/upload';
import { startFaultyUpstream } from './faulty-upstream';
import { ANA, EVIDENCE } from './primary-ramp-people';
import { BENEFICIARY } from './primary-ramp-world';

type Emulator = Awaited<ReturnType<typeof startPrimaryRampEmulator>>;

const patience = (): AbortSignal => AbortSignal.timeout(10_000);
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'no error',
    (error: unknown) => (error as { code: string }).code,
  );

/** The adapter and the ramp; `later` moves the adapter's clock. */
async function openRamp() {
  const emulator = await startPrimaryRampEmulator({ chains: [], control: { autoApproveMs: null } });
  const upstream = await startFaultyUpstream(emulator.url);
  let ahead = 0;
  const http = createHttpClient({ baseUrl: upstream.url, sign: primaryRampSignature(emulator) });
  const ramp = createPrimaryRamp({ http, apiUrl: emulator.url, networks: {}, clock: () => Date.now() + ahead });
  const control = async (path: string, body: unknown): Promise<any> => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const answer = await fetch(`${emulator.url}/_control${path}`, { method: 'POST', body: text });
    expect(answer.status).toBe(200);
    return answer.json();
  };
  const signed = async (body: string) => ({
    headers: { signature: (await control('/sign', body)).signature as string },
    rawBody: Buffer.from(body),
    now: Date.now(),
  });
  return {
    emulator,
    upstream,
    http,
    ramp,
    control,
    signed,
    later: (ms: number) => (ahead += ms),
    async stop() {
      upstream.close();
      await http.close();
      await emulator.stop();
    },
  };
}

let world: Awaited<ReturnType<typeof openRamp>>;
beforeAll(async () => {
  world = await openRamp();
});
afterAll(() => world.stop());

const event = (changes: object = {}): string =>
  JSON.stringify({
    id: 'event-1',
    subAccountId: 'account-1',
    subscription: 'TICKET',
    createdAt: new Date().toISOString(),
    data: { ticket: { id: 'ticket-1', externalId: 'ours-1', status: 'PAID' } },
    ...changes,
  });

describe('callbacks of the primary ramp', () => {
  it('count when the ramp signed them, in either envelope, and say what they are about', async () => {
    const { ramp, signed } = world;
    const told = { kind: 'ticket', id: 'ticket-1', externalId: 'ours-1', accountId: 'account-1' };
    expect(await ramp.verifyCallback(await signed(event()))).toMatchObject(told);
    expect(await ramp.verifyCallback(await signed(`{"event":${event()}}`))).toMatchObject(told);
    const kyc = event({ data: { attempt: { id: 'attempt-1' } } });
    expect(await ramp.verifyCallback(await signed(kyc))).toMatchObject({ kind: 'kyc', id: 'attempt-1' });
  });

  it('name payouts by our id, and so the sending back of their token', async () => {
    for (const externalId of ['ours-1', 'ours-1-refund']) {
      const ticket = { id: 'theirs', externalId, quote: { inputPaymentMethod: 'INTERNAL' } };
      const received = await world.signed(event({ data: { ticket } }));
      expect(await world.ramp.verifyCallback(received)).toMatchObject({ id: 'ours-1' });
    }
  });

  it('are the same event when they are told again, and another when anything else is told', async () => {
    const { ramp, signed } = world;
    const body = event();
    const [first, again] = [
      await ramp.verifyCallback(await signed(body)),
      await ramp.verifyCallback(await signed(body)),
    ];
    expect(first?.eventId).toBe(again?.eventId);
    const other = await ramp.verifyCallback(await signed(event({ subAccountId: 'account-2' })));
    expect(other?.eventId).not.toBe(first?.eventId);
  });

  it('are taken when they are of no interest, as long as the ramp signed them', async () => {
    const { ramp, signed } = world;
    for (const body of ['{"data":{}}', '[1]', 'not JSON', event({ data: { ticket: {} } })]) {
      expect(await ramp.verifyCallback(await signed(body))).toMatchObject({ kind: 'other' });
    }
  });

  it('do not count when they are forged, changed, unsigned, too old, or from the future', async () => {
    const { ramp, signed } = world;
    const genuine = await signed(event());
    const stranger = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
    const padding = constants.RSA_PKCS1_PSS_PADDING;
    const forged = sign('sha256', genuine.rawBody, { key: stranger, padding }).toString('base64');
    const changed = Buffer.from(event().replace('ticket-1', 'ticket-2'));
    const dated = (at: number) => signed(event({ createdAt: new Date(at).toISOString() }));
    const refused = [
      { ...genuine, headers: { signature: forged } },
      { ...genuine, rawBody: changed },
      { ...genuine, headers: {} },
      { ...genuine, headers: { signature: 'not base64 §' } },
      { ...genuine, headers: { signature: [genuine.headers.signature, forged] } },
      await dated(Date.now() - 2 * 86_400_000),
      await dated(Date.now() + 3_600_000),
    ];
    for (const received of refused) expect(await ramp.verifyCallback(received)).toBeUndefined();
    expect(await ramp.verifyCallback(genuine)).toBeDefined();
  });

  it('are checked against a new key once the ramp has one, and forgeries cost it one request in a while', async () => {
    const { ramp, signed, control, upstream, later } = world;
    later(60_000);
    const old = await signed(event());
    expect(await ramp.verifyCallback(old)).toBeDefined();
    await control('/rotate-key', {});
    const fresh = await signed(event());
    expect(await ramp.verifyCallback(fresh)).toBeDefined();
    expect(await ramp.verifyCallback(old)).toBeUndefined();
    later(60_000);
    const before = upstream.requests();
    await Promise.all(Array.from({ length: 20 }, () => ramp.verifyCallback(old)));
    expect(upstream.requests() - before).toBe(1);
  });

  it('do not count while the key cannot be had', async () => {
    const { signed, later, upstream, ramp, control } = world;
    later(7_200_000);
    const received = await signed(event());
    upstream.suffer('answers 500');
    expect(await ramp.verifyCallback(received)).toBeUndefined();
    upstream.suffer(undefined);
    later(60_000);
    expect(await ramp.verifyCallback(received)).toBeDefined();
    await control('', {});
  });

  it('arrive at the URL that was subscribed, once, signed', async () => {
    const arrived: { headers: IncomingHttpHeaders; rawBody: Buffer }[] = [];
    const receiver = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        arrived.push({ headers: request.headers, rawBody: Buffer.concat(chunks) });
        response.end();
        receiver.emit('arrived');
      });
    });
    receiver.listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    const { ramp, control } = world;
    const url = `http://127.0.0.1:${String((receiver.address() as AddressInfo).port)}/callbacks`;
    await ramp.subscribe(url, patience());
    await ramp.subscribe(url, patience());
    const account = await ramp.openAccount(ANA, { kycUserId: 'called-back' }, patience());
    const { attemptId } = await ramp.submitEvidence({ account, person: ANA, evidence: EVIDENCE }, patience());
    const [first] = [once(receiver, 'arrived')];
    await control(`/attempts/${attemptId!}`, { result: 'APPROVED' });
    await first;
    expect(arrived).toHaveLength(1);
    const told = await ramp.verifyCallback({ ...arrived[0]!, now: Date.now() });
    expect(told).toMatchObject({ kind: 'kyc', id: attemptId, accountId: account.accountId });
    receiver.closeAllConnections();
    receiver.close();
  });
});

describe('people at the primary ramp', () => {
  const submitted = async (kycUserId: string) => {
    const account = await world.ramp.openAccount(ANA, { kycUserId }, patience());
    const submission = { account, person: ANA, evidence: EVIDENCE };
    const { attemptId } = await world.ramp.submitEvidence(submission, patience());
    return { account, submission, attemptId: attemptId! };
  };

  it('are rejected for good or for now, by labels and not by sentences', async () => {
    const { account, attemptId } = await submitted('rejected');
    const stateOf = () => world.ramp.verificationState({ ...account, attemptId }, patience());
    expect(await stateOf()).toMatchObject({ status: 'provider_pending', rejectReason: undefined });
    const labels = ['BAD_SELFIE', 'Sorry, Ana Lima: no'];
    await world.control(`/attempts/${attemptId}`, { result: 'REJECTED', retryable: true, labels });
    expect(await stateOf()).toMatchObject({ status: 'rejected_retryable', rejectReason: 'BAD_SELFIE' });
    await world.control(`/attempts/${attemptId}`, { result: 'REJECTED', retryable: false });
    expect(await stateOf()).toMatchObject({ status: 'rejected', rejectReason: 'REJECTED' });
  });

  it('have one attempt at a time, however often their evidence is handed in', async () => {
    const { submission, attemptId } = await submitted('impatient');
    expect(await world.ramp.submitEvidence(submission, patience())).toEqual({ attemptId });
  });

  it('hear which of our fields the ramp does not take', async () => {
    const { account, attemptId } = await submitted('elsewhere');
    await world.control(`/attempts/${attemptId}`, { result: 'REJECTED', retryable: true });
    const address = { ...ANA.address, country: 'Brazil' };
    const work = world.ramp.submitEvidence({ account, person: { ...ANA, address }, evidence: EVIDENCE }, patience());
    await expect(work).rejects.toMatchObject({
      code: 'KYC_PROFILE_INCOMPLETE_FOR_RAMP',
      message: expect.stringMatching(/: country$/) as unknown,
    });
    const faceless = { account, person: ANA, evidence: { ...EVIDENCE, selfie: undefined } };
    expect(await codeOf(world.ramp.submitEvidence(faceless, patience()))).toBe('KYC_PROFILE_INCOMPLETE_FOR_RAMP');
  });

  it('may move dollars after they were approved and asked for it', async () => {
    const { account, attemptId } = await submitted('dollars');
    const known = { ...account, attemptId };
    expect(await codeOf(world.ramp.unlockCurrency!(known, 'USD', patience()))).toBe('KYC_PROFILE_INCOMPLETE_FOR_RAMP');
    await world.control(`/attempts/${attemptId}`, { result: 'APPROVED' });
    const stateOf = () => world.ramp.verificationState(known, patience());
    expect((await stateOf()).capabilities).toEqual({ BRL: true, USD: false });
    await world.ramp.unlockCurrency!(known, 'USD', patience());
    expect((await stateOf()).capabilities).toEqual({ BRL: true, USD: true });
  });

  it('are paid dollars at home in the United States: nobody’s address is told as another', async () => {
    const { account, attemptId } = await submitted('abroad');
    const known = { ...account, attemptId };
    const save = (country: string, accountNumber: string) =>
      codeOf(
        world.ramp.saveBeneficiary!(
          known,
          { beneficiary: { ...BENEFICIARY, country, accountNumber }, method: 'WIRE' },
          patience(),
        ),
      );
    expect(await save('BRA', '1')).toBe('RAMP_PROVIDER_NOT_ELIGIBLE');
    expect([await save('USA', '2'), await save('US', '3')]).toEqual(['no error', 'no error']);
    const [{ beneficiaries }] = await (
      await fetch(`${world.emulator.url}/_control/accounts?name=${account.kycUserId}`)
    ).json();
    expect(beneficiaries).toHaveLength(2);
  });

  it.each([
    'http://169.254.169.254/x',
    'http://example.com/x',
    'https://localhost/x',
    'https://10.0.0.1/x',
    'ftp://a.io/x',
  ])('have their evidence go nowhere but to the ramp: not to %s', async (url) => {
    const upload = { url, apiUrl: world.emulator.url, file: EVIDENCE.front };
    await expect(uploadFile(upload, patience())).rejects.toThrow('may not go to');
  });
});

describe('Pix keys at the primary ramp', () => {
  afterEach(() => world.control('', { unknownPixKeys: [], pixLookupStatus: null }));

  it('are known, unknown, or cannot be looked up', async () => {
    const lookUp = (key: string) => codeOf(world.ramp.lookUpPixKey!(key, patience()));
    expect(await lookUp('ana@example.com')).toBe('no error');
    await world.control('', { unknownPixKeys: ['nobody@example.com'] });
    expect(await lookUp('nobody@example.com')).toBe('INVALID_PIX_KEY');
  });

  it.each([
    [400, { code: 'INVALID_PIX_KEY', details: undefined }],
    [503, { code: 'PIX_KEY_LOOKUP_FAILED', details: { upstreamStatus: 503 } }],
    [401, { code: 'PIX_KEY_LOOKUP_FAILED', details: undefined }],
    [429, { code: 'PIX_KEY_LOOKUP_FAILED', details: undefined }],
  ])('tell apart what a look-up failed with: %i', async (pixLookupStatus, expected) => {
    await world.control('', { pixLookupStatus });
    await expect(world.ramp.lookUpPixKey!('ana@example.com', patience())).rejects.toMatchObject(expected);
  });
});

describe('requests to the primary ramp', () => {
  const asked = async (emulator: Pick<Emulator, 'apiKey' | 'privateKey'>, now?: () => number) => {
    const sign = primaryRampSignature({ ...emulator, ...(now === undefined ? {} : { now }) });
    const http = createHttpClient({ baseUrl: world.emulator.url, sign });
    const ramp = createPrimaryRamp({ http, apiUrl: world.emulator.url, networks: {} });
    const code = await codeOf(ramp.lookUpPixKey!('ana+pix@example.com', patience()));
    await http.close();
    return code;
  };

  it('are taken when they are signed by the client, now, and not otherwise', async () => {
    const { emulator } = world;
    const other = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
    const privateKey = other.export({ type: 'pkcs8', format: 'pem' }).toString();
    expect(await asked(emulator)).toBe('no error');
    expect(await asked({ ...emulator, privateKey })).toBe('PIX_KEY_LOOKUP_FAILED');
    expect(await asked({ ...emulator, apiKey: 'another' })).toBe('PIX_KEY_LOOKUP_FAILED');
    expect(await asked(emulator, () => Date.now() - 3_600_000)).toBe('PIX_KEY_LOOKUP_FAILED');
  });
});
