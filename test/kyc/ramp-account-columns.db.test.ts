import { randomUUID } from 'node:crypto';
import { openRampAccount } from '../../src/kyc/open-account';
import { pollPendingVerifications } from '../../src/kyc/poll-pending-verifications';
import { pollVerification } from '../../src/kyc/poll-verification';
import { markVerificationsStale } from '../../src/kyc/stale-verifications';
import { submitOnce } from '../../src/kyc/verification';
import { type KycGateway, type Opened, openedSession, startKycGateway } from './kyc-gateway';
import { stateOf } from './scripted-ramps';
import { type SubmittedPeople, submittedPeople } from './submitted-people';

let gateway: KycGateway;
let people: SubmittedPeople;
beforeAll(async () => {
  gateway = await startKycGateway();
  people = submittedPeople(gateway);
});
afterAll(() => gateway.stop());
beforeEach(() => people.reset());

const { signal } = new AbortController();
const PERSON = {
  fullName: 'Ana Lima',
  birthDate: '1990-01-31',
  taxId: '12345678909',
  taxIdCountry: 'BRA',
  email: 'ana@example.com',
  phone: undefined,
  address: {
    country: 'BRA',
    state: 'SP',
    city: 'São Paulo',
    zipCode: '01310100',
    streetAddress: 'Avenida Paulista',
    number: '1',
    complement: undefined,
  },
};

const poll = async (opened: Opened): Promise<void> =>
  pollVerification(people.replica(), await people.stored(opened, 'primary'), signal);
const change = ({ kycUserId }: Opened, data: Parameters<typeof update>[1]) => update(kycUserId, data);
const update = (profileId: string, data: Partial<Awaited<ReturnType<SubmittedPeople['stored']>>>) =>
  gateway.test.database.rampAccount.updateMany({ where: { profileId }, data: data as never });

describe('the opening of an account', () => {
  const open = ({ kycUserId }: Opened) =>
    openRampAccount(
      people.replica(),
      { customerId: gateway.customerIds[0] as never, kycUserId, ramp: 'primary', person: PERSON },
      signal,
    );

  it('keeps the time of its first request in openingStartedAt, through failures', async () => {
    const opened = await openedSession(gateway);
    gateway.primary.failure = new Error('connection lost');
    await expect(open(opened)).rejects.toThrow('connection lost');
    const failed = await people.stored(opened, 'primary');
    expect(failed).toMatchObject({ openingStartedAt: expect.any(Date), openingLeasedUntil: null, accountId: null });
    gateway.primary.failure = undefined;
    await open(opened);
    const { openingStartedAt, openingLeasedUntil } = await people.stored(opened, 'primary');
    expect([openingStartedAt, openingLeasedUntil]).toEqual([failed.openingStartedAt, null]);
  });

  it('is exclusive until openingLeasedUntil', async () => {
    const opened = await openedSession(gateway);
    const data = { profileId: opened.kycUserId, provider: 'primary', customerId: gateway.customerIds[0]! };
    const openingLeasedUntil = new Date(Date.now() + 1000);
    await gateway.test.database.rampAccount.create({
      data: { ...data, openingStartedAt: new Date(), openingLeasedUntil },
    });
    const requests = gateway.primary.opened.length;
    await Promise.all([open(opened), open(opened)]);
    expect(Date.now()).toBeGreaterThan(openingLeasedUntil.getTime());
    expect(gateway.primary.opened).toHaveLength(requests + 1);
  });
});

describe('the state of a verification', () => {
  it('is not polled again for two seconds after polledAt', async () => {
    const opened = await people.submitted('primary', { polled: 1 });
    const before = gateway.primary.polls;
    await poll(opened);
    expect(gateway.primary.polls).toBe(before);
    await people.aged(opened, { polled: 3 });
    await poll(opened);
    expect(gateway.primary.polls).toBe(before + 1);
    expect((await people.stored(opened, 'primary')).polledAt).toEqual(people.now());
  });

  it('is polled at once after staleSince, and is fresh from the start of that poll', async () => {
    const opened = await people.submitted('primary', { polled: 0, stale: true });
    const before = gateway.primary.polls;
    await poll(opened);
    expect(gateway.primary.polls).toBe(before + 1);
    expect((await people.stored(opened, 'primary')).staleSince).toBeNull();
    await poll(opened);
    expect(gateway.primary.polls).toBe(before + 1);
  });

  it('is not stored when pollToken was replaced or removed during the poll', async () => {
    for (const pollToken of [randomUUID(), null]) {
      const opened = await people.submitted('primary');
      const provider = {
        ...gateway.primary.provider,
        async verificationState() {
          await change(opened, { pollToken });
          return stateOf('approved');
        },
      };
      const deps = { ...people.replica(), ramps: { primary: provider, secondary: gateway.secondary.provider } };
      await pollVerification(deps, await people.stored(opened, 'primary'), signal);
      expect(await people.stored(opened, 'primary')).toMatchObject({ status: 'provider_pending', pollToken });
    }
  });

  it('is neither polled nor marked stale before submissionLeasedUntil, and both afterwards', async () => {
    // An hour: markers are compared with the clock of this machine.
    const opened = await people.submitted('primary', { submitting: 3600 });
    const { accountId } = await people.stored(opened, 'primary');
    const hint = { ramp: 'primary', accountId: accountId!, attemptId: undefined } as const;
    const mark = () => gateway.test.database.$transaction((tx) => markVerificationsStale(tx, hint));
    const before = gateway.primary.polls;
    await poll(opened);
    expect(await mark()).toEqual([]);
    expect(await pollPendingVerifications(people.replica(), signal)).toBe(0);
    expect(gateway.primary.polls).toBe(before);
    await people.aged(opened, { submitting: -1 });
    expect(await mark()).toHaveLength(1);
    expect(await pollPendingVerifications(people.replica(), signal)).toBe(1);
  });

  it('is leased by a submission, whose end marks it stale and discards polls in flight', async () => {
    const opened = await people.submitted('primary', { status: 'created', polled: 1 });
    await change(opened, { pollToken: randomUUID() });
    const before = Date.now();
    let during: Awaited<ReturnType<SubmittedPeople['stored']>> | undefined;
    await submitOnce(gateway.test.database, await people.stored(opened, 'primary'), async () => {
      during = await people.stored(opened, 'primary');
      return { attemptId: 'attempt' };
    });
    expect(during).toMatchObject({ status: 'provider_pending', pollToken: null });
    expect(during!.submissionLeasedUntil!.getTime()).toBeGreaterThan(before);
    const after = { submissionLeasedUntil: null, staleSince: expect.any(Date), attemptId: 'attempt' };
    expect(await people.stored(opened, 'primary')).toMatchObject(after);
  });
});
