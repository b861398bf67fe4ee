import { randomUUID } from 'node:crypto';
import { pollPendingVerifications } from '../../src/kyc/poll-pending-verifications';
import type { RampId } from '../../src/ramps/ramp-provider';
import { type KycGateway, startKycGateway } from './kyc-gateway';
import { type ScriptedRamp, stateOf } from './scripted-ramps';
import { type SubmittedPeople, submittedPeople } from './submitted-people';

let gateway: KycGateway;
let people: SubmittedPeople;
beforeAll(async () => {
  gateway = await startKycGateway();
  people = submittedPeople(gateway);
});
afterAll(() => gateway.stop());
beforeEach(() => people.reset());

const RAMPS: readonly RampId[] = ['primary', 'secondary'];
const rampOf = (id: RampId): ScriptedRamp => gateway[id];

describe('verifications without callbacks', () => {
  const run = (deps = people.replica()) => pollPendingVerifications(deps, new AbortController().signal);

  it('are polled', async () => {
    const opened = await Promise.all(RAMPS.map((ramp) => people.submitted(ramp)));
    for (const ramp of RAMPS) rampOf(ramp).state = stateOf('approved');
    expect(await run()).toBe(2);
    const statuses = await Promise.all(opened.map((person, index) => people.stored(person, RAMPS[index]!)));
    expect(statuses.map(({ status }) => status)).toEqual(['approved', 'approved']);
    expect(await run()).toBe(0);
  });

  it.each([
    ['a minute after the last poll at the earliest', { polled: 50 }, 0],
    ['once a minute has passed', { polled: 70 }, 1],
    ['less often the longer the state is unchanged', { polled: 200, changed: 3600 }, 0],
    ['after a tenth of the time since the last change', { polled: 400, changed: 3600 }, 1],
    ['at least every hour', { polled: 3700, changed: 20 * 86_400 }, 1],
    ['not after a month', { polled: 86_400, changed: 31 * 86_400 }, 0],
    ['not during a submission', { submitting: 60 }, 0],
    ['not once they are approved', { status: 'approved' }, 0],
    ['not once they are rejected', { status: 'rejected' }, 0],
    ['not while documents are being submitted', { status: 'created', changed: 500 }, 0],
    ['ten minutes after the last document', { status: 'created', changed: 700 }, 1],
  ] as const)('are polled %s', async (_when, age, due) => {
    await people.submitted('secondary', age);
    expect(await run()).toBe(due);
  });

  it('are polled once by several replicas', async () => {
    await Promise.all(Array.from({ length: 10 }, () => people.submitted('primary')));
    gateway.primary.state = stateOf('provider_pending');
    const before = gateway.primary.polls;
    await Promise.all([run(), run(), run()]);
    expect(gateway.primary.polls).toBe(before + 10);
  });

  it('do not wait for a ramp that fails', async () => {
    const [first, second] = [await people.submitted('primary'), await people.submitted('secondary')];
    gateway.primary.failure = new Error('connection lost');
    gateway.secondary.state = stateOf('approved');
    await run();
    gateway.primary.failure = undefined;
    expect((await people.stored(first, 'primary')).status).toBe('provider_pending');
    expect((await people.stored(second, 'secondary')).status).toBe('approved');
  });

  it('are not polled after erasure', async () => {
    const opened = await people.submitted('primary');
    await gateway.test.database.kycProfile.update({
      where: { id: opened.kycUserId },
      data: { erasedAt: new Date(), externalUserId: randomUUID() },
    });
    expect(await run()).toBe(0);
  });
});
