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

describe('people whom nobody calls back about', () => {
  const run = (deps = people.replica()) => pollPendingVerifications(deps, new AbortController().signal);

  it('are asked about by themselves', async () => {
    const opened = await Promise.all(RAMPS.map((ramp) => people.submitted(ramp)));
    for (const ramp of RAMPS) rampOf(ramp).state = stateOf('approved');
    expect(await run()).toBe(2);
    const statuses = await Promise.all(opened.map((person, index) => people.stored(person, RAMPS[index]!)));
    expect(statuses.map(({ status }) => status)).toEqual(['approved', 'approved']);
    expect(await run()).toBe(0);
  });

  it.each([
    ['a minute after the last question at the earliest', { polled: 50 }, 0],
    ['once a minute has passed', { polled: 70 }, 1],
    ['less often the longer nothing changes', { polled: 200, changed: 3600 }, 0],
    ['after a tenth of the time in which nothing changed', { polled: 400, changed: 3600 }, 1],
    ['every hour at the least', { polled: 3700, changed: 20 * 86_400 }, 1],
    ['not after a month', { polled: 86_400, changed: 31 * 86_400 }, 0],
    ['not while a submission is under way', { submitting: 60 }, 0],
    ['not once they are approved', { status: 'approved' }, 0],
    ['not once they are rejected', { status: 'rejected' }, 0],
    ['not while documents come in one by one', { status: 'created', changed: 500 }, 0],
    ['once no further document has come for ten minutes', { status: 'created', changed: 700 }, 1],
  ] as const)('are asked about %s', async (_when, age, due) => {
    await people.submitted('secondary', age);
    expect(await run()).toBe(due);
  });

  it('are asked about once, however many replicas do so', async () => {
    await Promise.all(Array.from({ length: 10 }, () => people.submitted('primary')));
    gateway.primary.state = stateOf('provider_pending');
    const before = gateway.primary.asked;
    await Promise.all([run(), run(), run()]);
    expect(gateway.primary.asked).toBe(before + 10);
  });

  it('do not wait for others who cannot be asked about', async () => {
    const [first, second] = [await people.submitted('primary'), await people.submitted('secondary')];
    gateway.primary.failure = new Error('the line is dead');
    gateway.secondary.state = stateOf('approved');
    await run();
    gateway.primary.failure = undefined;
    expect((await people.stored(first, 'primary')).status).toBe('provider_pending');
    expect((await people.stored(second, 'secondary')).status).toBe('approved');
  });

  it('are left alone once they are erased', async () => {
    const opened = await people.submitted('primary');
    await gateway.test.database.kycProfile.update({
      where: { id: opened.kycUserId },
      data: { erasedAt: new Date(), externalUserId: randomUUID() },
    });
    expect(await run()).toBe(0);
  });
});
