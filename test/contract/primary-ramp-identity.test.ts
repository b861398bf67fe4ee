import { generateKeyPairSync } from 'node:crypto';
import { createHttpClient } from '../../src/http/http-client';
import { createPrimaryRamp } from '../../src/ramps/providers/primary/primary-ramp';
import { primaryRampSignature } from '../../src/ramps/providers/primary/sign-request';
import { uploadFile } from '../../src/ramps/providers/primary/upload';
import { type ChainlessRamp, openChainlessRamp } from './chainless-primary-ramp';
import { ANA, EVIDENCE } from './primary-ramp-people';
import { BENEFICIARY } from './primary-ramp-world';

const timeout = (): AbortSignal => AbortSignal.timeout(10_000);
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'no error',
    (error: unknown) => (error as { code: string }).code,
  );

let world: ChainlessRamp;
beforeAll(async () => {
  world = await openChainlessRamp();
});
afterAll(() => world.stop());

describe('people at the primary ramp', () => {
  const submitted = async (kycUserId: string) => {
    const account = await world.ramp.openAccount(ANA, { kycUserId }, timeout());
    const submission = { account, person: ANA, evidence: EVIDENCE };
    const { attemptId } = await world.ramp.submitEvidence(submission, timeout());
    return { account, submission, attemptId: attemptId! };
  };

  it('are rejected permanently or retryably, with labels and without sentences', async () => {
    const { account, attemptId } = await submitted('rejected');
    const stateOf = () => world.ramp.verificationState({ ...account, attemptId }, timeout());
    expect(await stateOf()).toMatchObject({ status: 'provider_pending', rejectReason: undefined });
    const labels = ['BAD_SELFIE', 'Sorry, Ana Lima: no'];
    await world.control(`/attempts/${attemptId}`, { result: 'REJECTED', retryable: true, labels });
    expect(await stateOf()).toMatchObject({ status: 'rejected_retryable', rejectReason: 'BAD_SELFIE' });
    await world.control(`/attempts/${attemptId}`, { result: 'REJECTED', retryable: false });
    expect(await stateOf()).toMatchObject({ status: 'rejected', rejectReason: 'REJECTED' });
  });

  it('have one attempt at a time under repeated submissions', async () => {
    const { submission, attemptId } = await submitted('impatient');
    expect(await world.ramp.submitEvidence(submission, timeout())).toEqual({ attemptId });
  });

  it('receive the names of the fields that the ramp refuses', async () => {
    const { account, attemptId } = await submitted('elsewhere');
    await world.control(`/attempts/${attemptId}`, { result: 'REJECTED', retryable: true });
    const address = { ...ANA.address, country: 'Brazil' };
    const work = world.ramp.submitEvidence({ account, person: { ...ANA, address }, evidence: EVIDENCE }, timeout());
    await expect(work).rejects.toMatchObject({
      code: 'KYC_PROFILE_INCOMPLETE_FOR_RAMP',
      message: expect.stringMatching(/: country$/) as unknown,
    });
    const faceless = { account, person: ANA, evidence: { ...EVIDENCE, selfie: undefined } };
    expect(await codeOf(world.ramp.submitEvidence(faceless, timeout()))).toBe('KYC_PROFILE_INCOMPLETE_FOR_RAMP');
  });

  it('may move dollars after approval and unlocking', async () => {
    const { account, attemptId } = await submitted('dollars');
    const verifiable = { ...account, attemptId };
    expect(await codeOf(world.ramp.unlockCurrency!(verifiable, 'USD', timeout()))).toBe(
      'KYC_PROFILE_INCOMPLETE_FOR_RAMP',
    );
    await world.control(`/attempts/${attemptId}`, { result: 'APPROVED' });
    const stateOf = () => world.ramp.verificationState(verifiable, timeout());
    expect((await stateOf()).capabilities).toEqual({ BRL: true, USD: false });
    await world.ramp.unlockCurrency!(verifiable, 'USD', timeout());
    expect((await stateOf()).capabilities).toEqual({ BRL: true, USD: true });
  });

  it('receive dollars at addresses in the United States only', async () => {
    const { account, attemptId } = await submitted('abroad');
    const verifiable = { ...account, attemptId };
    const save = (country: string, accountNumber: string) =>
      codeOf(
        world.ramp.saveBeneficiary!(
          verifiable,
          { beneficiary: { ...BENEFICIARY, country, accountNumber }, method: 'WIRE' },
          timeout(),
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
  ])('have their evidence uploaded to allowed hosts only, not to %s', async (url) => {
    const upload = { url, apiUrl: world.emulator.url, file: EVIDENCE.front };
    await expect(uploadFile(upload, timeout())).rejects.toThrow('not an allowed address');
  });
});

describe('Pix keys at the primary ramp', () => {
  afterEach(() => world.control('', { unknownPixKeys: [], pixLookupStatus: null }));

  it('are found or refused', async () => {
    const lookUp = (key: string) => codeOf(world.ramp.lookUpPixKey!(key, timeout()));
    expect(await lookUp('ana@example.com')).toBe('no error');
    await world.control('', { unknownPixKeys: ['unknown@example.com'] });
    expect(await lookUp('unknown@example.com')).toBe('INVALID_PIX_KEY');
  });

  it.each([
    [400, { code: 'INVALID_PIX_KEY', details: undefined }],
    [503, { code: 'PIX_KEY_LOOKUP_FAILED', details: { upstreamStatus: 503 } }],
    [401, { code: 'PIX_KEY_LOOKUP_FAILED', details: undefined }],
    [429, { code: 'PIX_KEY_LOOKUP_FAILED', details: undefined }],
  ])('have a code for a look-up that failed with HTTP %i', async (pixLookupStatus, expected) => {
    await world.control('', { pixLookupStatus });
    await expect(world.ramp.lookUpPixKey!('ana@example.com', timeout())).rejects.toMatchObject(expected);
  });
});

describe('requests to the primary ramp', () => {
  const lookUp = async (emulator: Pick<ChainlessRamp['emulator'], 'apiKey' | 'privateKey'>, now?: () => number) => {
    const sign = primaryRampSignature({ ...emulator, ...(now === undefined ? {} : { now }) });
    const http = createHttpClient({ baseUrl: world.emulator.url, sign });
    const ramp = createPrimaryRamp({ http, apiUrl: world.emulator.url, networks: {} });
    const code = await codeOf(ramp.lookUpPixKey!('ana+pix@example.com', timeout()));
    await http.close();
    return code;
  };

  it('are accepted only with the current time and a signature of the client', async () => {
    const { emulator } = world;
    const other = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
    const privateKey = other.export({ type: 'pkcs8', format: 'pem' }).toString();
    expect(await lookUp(emulator)).toBe('no error');
    expect(await lookUp({ ...emulator, privateKey })).toBe('PIX_KEY_LOOKUP_FAILED');
    expect(await lookUp({ ...emulator, apiKey: 'another' })).toBe('PIX_KEY_LOOKUP_FAILED');
    expect(await lookUp(emulator, () => Date.now() - 3_600_000)).toBe('PIX_KEY_LOOKUP_FAILED');
  });
});
