import { isServiceError } from '../../src/errors/service-error';
import type { DocumentSubmission } from '../../src/ramps/kyc-provider';
import type { RampAccount } from '../../src/ramps/ramp-provider';
import { BENEFICIARY, IMAGE, type LocalSecondaryRamp, startLocalSecondaryRamp } from './secondary-ramp-world';

let local: LocalSecondaryRamp;
beforeAll(async () => {
  local = await startLocalSecondaryRamp();
});
afterAll(() => local.stop());
afterEach(async () => {
  local.upstream.injectFault(undefined);
  await local.steer({ loseResponses: 0, reviewMs: 100, wires: true });
});

const signal = () => AbortSignal.timeout(10_000);
const codeOf = async (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    (value) => ({ resolved: value }),
    (error: unknown) => (isServiceError(error) ? error.code : error),
  );
const customers = async (email: string): Promise<any[]> =>
  (await local.request('/v1/customers?limit=100')).data.filter((each: any) => each.email === email);
const verifiable = (account: RampAccount) => ({ ...account, attemptId: undefined });
const stateOf = (account: RampAccount) => local.ramp.verificationState(verifiable(account), signal());
const submit = (account: RampAccount, changes: Partial<DocumentSubmission> = {}) => {
  const submission = { account, documentType: 'CNH', side: 'FRONT', country: 'BRA', file: IMAGE } as const;
  return local.ramp.submitDocument!({ ...submission, ...changes }, signal());
};
const decide = (account: RampAccount, decision: object) =>
  local.control(`/__control/customers/${account.accountId}`, decision);
const newAccount = () => {
  const { person, kycUserId } = local.newPerson();
  return local.ramp.openAccount(person, { kycUserId }, signal());
};

describe('a customer of the secondary ramp', () => {
  it('is opened with the required fields, in the format of the ramp', async () => {
    const { person, kycUserId } = local.newPerson();
    const { accountId } = await local.ramp.openAccount(person, { kycUserId }, signal());
    expect(await local.request(`/v1/customers/${accountId}`)).toMatchObject({
      type: 'individual',
      first_name: 'Ana',
      last_name: 'Lima',
      email: person.email,
      tin: '12345678909',
      date_of_birth: '1990-01-01',
      country: 'BRA',
      phone_number: '+5511999998888',
      status: 'pending',
      address: {
        street_line_1: 'Avenida Paulista, 1',
        city: 'São Paulo',
        state: 'SP',
        postal_code: '01310100',
        country: 'BRA',
      },
    });
  });

  it('is opened once when the response is lost', async () => {
    const { person, kycUserId } = local.newPerson();
    await local.steer({ loseResponses: 1 });
    const { accountId } = await local.ramp.openAccount(person, { kycUserId }, signal());
    expect((await customers(person.email)).map(({ id }) => id)).toEqual([accountId]);
  });

  it('is found by a repeated request, also of another process, and never when it is stored for another profile', async () => {
    const { person, kycUserId } = local.newPerson();
    const requestedSince = new Date();
    const { accountId } = await local.ramp.openAccount(person, { kycUserId }, signal());
    const again = { kycUserId, requestedSince };
    expect(await local.ramp.openAccount(person, again, signal())).toEqual({ accountId, kycUserId });
    const isTaken = (id: string) => Promise.resolve(id === accountId);
    const other = await local.ramp.openAccount(person, { ...again, isTaken }, signal());
    expect(other.accountId).not.toBe(accountId);
  });

  it('is never an older one of an equal person', async () => {
    const { person, kycUserId } = local.newPerson();
    const first = await local.ramp.openAccount(person, { kycUserId }, signal());
    const second = await local.ramp.openAccount(person, { kycUserId: 'the same person at another customer' }, signal());
    expect(second.accountId).not.toBe(first.accountId);
  });

  it('has the stated last name, else the first word is the first name', async () => {
    const names = async (changes: object) => {
      const { person, kycUserId } = local.newPerson();
      const named = { ...person, fullName: 'Ana Beatriz da  Silva', ...changes };
      const { accountId } = await local.ramp.openAccount(named, { kycUserId }, signal());
      const { first_name, last_name } = await local.request(`/v1/customers/${accountId}`);
      return [first_name, last_name];
    };
    expect(await names({ lastName: 'da Silva' })).toEqual(['Ana Beatriz', 'da Silva']);
    expect(await names({})).toEqual(['Ana', 'Beatriz da Silva']);
    expect(await names({ lastName: 'Lima' })).toEqual(['Ana', 'Beatriz da Silva']);
  });

  it('has a first and a last name', async () => {
    const { person, kycUserId } = local.newPerson();
    const nameless = local.ramp.openAccount({ ...person, fullName: ' Ana ' }, { kycUserId }, signal());
    expect(await codeOf(nameless)).toBe('KYC_PROFILE_INCOMPLETE_FOR_RAMP');
  });

  it('is refused with the name of the field that the ramp refuses', async () => {
    const { person, kycUserId } = local.newPerson();
    const born = local.ramp.openAccount({ ...person, birthDate: 'long ago' }, { kycUserId }, signal());
    await expect(born).rejects.toMatchObject({
      code: 'KYC_PROFILE_INCOMPLETE_FOR_RAMP',
      message: expect.stringContaining('dateOfBirth') as unknown,
    });
  });
});

describe('a verification by the secondary ramp', () => {
  it('begins with the first poll after the last document, and ends', async () => {
    const account = await newAccount();
    expect(await stateOf(account)).toMatchObject({
      status: 'created',
      providerStatus: 'pending',
      rejectReason: undefined,
      capabilities: { BRL: false, USD: false },
      verificationLink: expect.stringMatching(/^https:/) as unknown,
      verification: { type: 'individual', pending: ['IDENTITY', 'PROOF_OF_ADDRESS'], underReview: [], approved: [] },
    });
    await submit(account);
    await submit(account, { side: 'BACK' });
    expect((await stateOf(account)).status).toBe('created');
    await submit(account, { documentType: 'PROOF_OF_ADDRESS', side: undefined });
    await local.steer({ reviewMs: 0 });
    expect(await stateOf(account)).toMatchObject({
      status: 'provider_pending',
      providerStatus: 'under_review',
      verification: { pending: [], underReview: ['IDENTITY', 'PROOF_OF_ADDRESS'] },
    });
    expect(await codeOf(submit(account))).toBe('SECONDARY_RAMP_KYC_IN_PROGRESS');
    await decide(account, { status: 'approved' });
    expect(await stateOf(account)).toMatchObject({
      status: 'approved',
      capabilities: { BRL: true, USD: true },
      verificationLink: undefined,
      verification: { approved: ['IDENTITY', 'PROOF_OF_ADDRESS'] },
    });
    await submit(account); // no document is pending
    expect((await stateOf(account)).status).toBe('approved');
  });

  it('does not begin with a read-only poll', async () => {
    const account = await newAccount();
    await submit(account);
    await submit(account, { documentType: 'PROOF_OF_ADDRESS', side: undefined });
    await local.steer({ reviewMs: 0 });
    const poll = () => local.ramp.verificationState(verifiable(account), signal(), { readOnly: true });
    expect((await poll()).status).toBe('created');
    expect((await poll()).status).toBe('created');
    expect((await stateOf(account)).status).toBe('provider_pending');
    await decide(account, { status: 'approved' });
    expect(await poll()).toMatchObject({ status: 'approved', capabilities: { BRL: true, USD: true } });
  });

  it('sends a side with a passport, and none with a proof of address', async () => {
    const account = await newAccount();
    await submit(account, { documentType: 'PASSPORT', side: undefined });
    await submit(account, { documentType: 'PROOF_OF_ADDRESS', side: 'FRONT' });
    const { tin } = await local.request(`/v1/customers/${account.accountId}`);
    const people: any[] = await (await fetch(`${local.emulator.url}/_control/customers?tin=${tin}`)).json();
    expect(people.find(({ id }) => id === account.accountId).documents).toEqual([
      { document_type: 'PASSPORT', document_side: 'FRONT' },
      { document_type: 'PROOF_OF_ADDRESS' },
    ]);
  });

  it('reports the reason of a retryable step, and accepts it again', async () => {
    const account = await newAccount();
    await submit(account);
    await submit(account, { documentType: 'PROOF_OF_ADDRESS', side: undefined });
    await stateOf(account);
    await decide(account, { status: 'partially_rejected', step: 'PROOF_OF_ADDRESS' });
    expect(await stateOf(account)).toMatchObject({
      status: 'rejected_retryable',
      rejectReason: 'DOCUMENT_EXPIRED',
      verification: {
        partiallyRejected: [
          {
            name: 'PROOF_OF_ADDRESS',
            rejectionCodes: ['DOCUMENT_EXPIRED'],
            rejectionDescription: 'The document has expired',
          },
        ],
      },
    });
    await submit(account, { documentType: 'PROOF_OF_ADDRESS', side: undefined });
    await local.steer({ reviewMs: 0 });
    expect((await stateOf(account)).status).toBe('provider_pending');
  });

  it('that was rejected accepts no documents', async () => {
    const account = await newAccount();
    await decide(account, { status: 'rejected' });
    expect(await stateOf(account)).toMatchObject({ status: 'rejected', capabilities: { BRL: false, USD: false } });
    expect(await codeOf(submit(account))).toBe('SECONDARY_RAMP_KYC_REJECTED');
  });

  it('enables USD for customers with wires', async () => {
    const account = await newAccount();
    await decide(account, { status: 'approved', wires: false });
    expect((await stateOf(account)).capabilities).toEqual({ BRL: true, USD: false });
  });

  it('fails for an unknown customer', async () => {
    const unknown = { accountId: 'unknown', kycUserId: 'unknown' };
    expect(await codeOf(stateOf(unknown))).toBe('SECONDARY_RAMP_KYC_NOT_PROVISIONED');
  });
});

describe('a bank account at the secondary ramp', () => {
  const save = (account: RampAccount, changes: object = {}) => {
    const target = { beneficiary: BENEFICIARY, method: 'WIRE', ...changes } as const;
    return local.ramp.saveBeneficiary!(verifiable(account), target, signal());
  };
  const saved = async ({ accountId }: RampAccount): Promise<any[]> =>
    (await local.request(`/v1/external-accounts?limit=100&customer_id=${accountId}`)).data;

  it('is saved once, with its address', async () => {
    const account = await local.approvedAccount();
    const id = await save(account);
    expect(await save(account)).toBe(id);
    expect(await saved(account)).toMatchObject([
      {
        id,
        customer_id: account.accountId,
        payment_rail: 'wire',
        is_third_party: false,
        wire: {
          beneficiary_name: 'ANA LIMA',
          bank_account_number: '000123456789',
          routing_number: '021000021',
          address: { street_line_1: '1 Main St', street_line_2: 'Apt 2', state: 'FL', country: 'USA' },
        },
      },
    ]);
  });

  it('of another holder is marked as third-party', async () => {
    const account = await local.approvedAccount();
    await save(account, { beneficiary: { ...BENEFICIARY, name: 'Bruno Souza' } });
    expect(await saved(account)).toMatchObject([{ is_third_party: true }]);
  });

  it('is refused for ACH', async () => {
    expect(await codeOf(save(await local.approvedAccount(), { method: 'ACH' }))).toBe('RAMP_PROVIDER_NOT_ELIGIBLE');
  });

  it('requires an approved customer', async () => {
    expect(await codeOf(save(await newAccount()))).toBe('SECONDARY_RAMP_KYC_IN_PROGRESS');
  });
});

describe('an unknown API key', () => {
  it('opens no account', async () => {
    const other = await startLocalSecondaryRamp({ apiKey: 'another' });
    const { person, kycUserId } = other.newPerson();
    expect(await codeOf(other.ramp.openAccount(person, { kycUserId }, signal()))).toBe('SECONDARY_RAMP_API_ERROR');
    await other.stop();
  });
});
