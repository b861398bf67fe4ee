import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { refreshPending } from '../../src/kyc/refresh-pending';
import type { OpenQuestions } from '../../src/kyc/identity-deps';
import { looking, type RefreshDeps } from '../../src/kyc/refresh';
import { accountFor } from '../../src/kyc/ramp-accounts';
import type { CustomerId } from '../../src/auth/principal';
import { isServiceError } from '../../src/errors/service-error';
import { createPersonalDataVault } from '../../src/persistence/personal-data';
import type { VerificationState } from '../../src/ramps/identity-provider';
import type { RampId, RampRail } from '../../src/ramps/ramp-provider';
import { evidenceOf, image, secondaryOf } from './kyc-bodies';
import { type KycGateway, type Opened, openedSession, startKycGateway } from './kyc-gateway';
import { type ScriptedRamp, stateOf } from './scripted-ramps';

let gateway: KycGateway;
beforeAll(async () => {
  gateway = await startKycGateway();
});
afterAll(() => gateway.stop());
beforeEach(async () => {
  for (const ramp of [gateway.primary, gateway.secondary]) Object.assign(ramp, { state: stateOf('created') });
  await gateway.test.database.rampAccount.deleteMany({});
});

const vault = createPersonalDataVault({
  keys: [{ version: 1, key: Buffer.from('cd'.repeat(32), 'hex') }],
  indexKey: Buffer.from('ef'.repeat(32), 'hex'),
});

/** What a process asks ramps with: each has questions of its own. */
const replica = (openQuestions: OpenQuestions = new Map()): RefreshDeps => ({
  database: gateway.test.database,
  ramps: { primary: gateway.primary.provider, secondary: gateway.secondary.provider },
  openQuestions,
  isResting: () => false,
  log: pino({ level: 'silent' }),
});

const RAMPS: readonly RampId[] = ['primary', 'secondary'];
const rampOf = (id: RampId): ScriptedRamp => gateway[id];

/** What a quote or a ticket finds out: the account, or the code that it is refused with. */
const accountOf = (
  { walletAddress: wallet }: Opened,
  { ramp, rail = 'PIX', deps = replica(), signal = AbortSignal.timeout(10_000) }: Asking,
): Promise<string> =>
  accountFor(
    { ...looking(deps), vault },
    { customerId: gateway.customerIds[0] as CustomerId, wallet, ramp, rail },
    signal,
  ).then(
    ({ account }) => account.accountId,
    (error: unknown) => (isServiceError(error) ? error.code : String(error)),
  );

interface Asking {
  readonly ramp: RampId;
  readonly rail?: RampRail;
  readonly deps?: RefreshDeps;
  readonly signal?: AbortSignal;
}

const submit = ({ kycUserId, cpf }: Opened, ramp: RampId) =>
  gateway.call('POST', `/api/v1/kyc/sessions/${kycUserId}/submit`, {
    body: ramp === 'primary' ? evidenceOf(cpf) : secondaryOf(cpf),
  });

interface Age {
  /** Seconds since the ramp was asked; never, when not given. */
  readonly asked?: number;
  /** Seconds since anything changed. */
  readonly changed?: number;
  readonly status?: VerificationState['status'];
}

const ago = (seconds: number): Date => new Date(Date.now() - seconds * 1000);

async function aged({ kycUserId }: Opened, { asked, changed = 0, status }: Age): Promise<void> {
  await gateway.test.database.rampAccount.updateMany({
    where: { profileId: kycUserId },
    data: {
      ...{ checkedAt: asked === undefined ? null : ago(asked), updatedAt: ago(changed) },
      ...(status === undefined ? {} : { status }),
    },
  });
}

/** A person who has been submitted to a ramp, that was last asked so long ago. */
async function submitted(ramp: RampId, age: Age = {}): Promise<Opened> {
  const opened = await openedSession(gateway);
  await submit(opened, ramp);
  await aged(opened, { status: 'provider_pending', ...age });
  return opened;
}

const stored = async ({ kycUserId }: Opened, provider: RampId) =>
  gateway.test.database.rampAccount.findUniqueOrThrow({
    where: { profileId_provider: { profileId: kycUserId, provider } },
  });

const PENDING = { primary: 'KYC_PROFILE_INCOMPLETE_FOR_RAMP', secondary: 'SECONDARY_RAMP_KYC_IN_PROGRESS' } as const;

describe.each(RAMPS)('money of a person at the %s ramp', (ramp) => {
  it.each(['created', 'provider_pending', 'rejected_retryable'] as const)(
    'moves as soon as the ramp has approved them, though "%s" is what was known',
    async (status) => {
      const opened = await submitted(ramp, { status });
      rampOf(ramp).state = stateOf('approved');
      expect(await accountOf(opened, { ramp })).toMatch(new RegExp(`^${ramp}-`));
      expect((await stored(opened, ramp)).status).toBe('approved');
    },
  );

  it('is refused when the ramp still has not, which is asked once in a while, however many want to know', async () => {
    const opened = await submitted(ramp);
    rampOf(ramp).state = stateOf('provider_pending');
    const before = rampOf(ramp).asked;
    const replicas = [replica(), replica()];
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) => accountOf(opened, { ramp, deps: replicas[index % 2]! })),
    );
    expect(new Set(answers)).toEqual(new Set([PENDING[ramp]]));
    expect(rampOf(ramp).asked).toBe(before + 1);
  });

  it('moves for everybody who asked a process at the same moment', async () => {
    const opened = await submitted(ramp);
    rampOf(ramp).state = stateOf('approved');
    const [deps, before] = [replica(), rampOf(ramp).asked];
    const answers = await Promise.all(Array.from({ length: 12 }, () => accountOf(opened, { ramp, deps })));
    expect(answers).toEqual(answers.map(() => expect.stringMatching(new RegExp(`^${ramp}-`))));
    expect(rampOf(ramp).asked).toBe(before + 1);
  });

  it('is refused by what is known when the ramp does not answer in time, and what it says later is kept', async () => {
    const opened = await submitted(ramp);
    const deps = replica();
    let say: (state: VerificationState) => void = () => undefined;
    const slow = new Promise<VerificationState>((resolve) => (say = resolve));
    const provider = { ...rampOf(ramp).provider, verificationState: () => slow };
    const asking = { ...deps, ramps: { ...deps.ramps, [ramp]: provider } };
    const hurried = { ramp, deps: asking, signal: AbortSignal.timeout(20) };
    expect(await accountOf(opened, hurried)).toBe(PENDING[ramp]);
    const patient = accountOf(opened, { ramp, deps: asking });
    say(stateOf('approved'));
    expect(await patient).toMatch(new RegExp(`^${ramp}-`));
  });

  it('is refused by what is known when the ramp cannot be asked', async () => {
    const opened = await submitted(ramp);
    rampOf(ramp).failure = new Error('the line is dead');
    expect(await accountOf(opened, { ramp })).toBe(PENDING[ramp]);
    rampOf(ramp).failure = undefined;
  });

  it('is refused at once while the ramp is left alone', async () => {
    const opened = await submitted(ramp);
    rampOf(ramp).state = stateOf('approved');
    const before = rampOf(ramp).asked;
    const deps = { ...replica(), isResting: (id: RampId) => id === ramp };
    expect(await accountOf(opened, { ramp, deps })).toBe(PENDING[ramp]);
    expect(rampOf(ramp).asked).toBe(before);
    expect(await accountOf(opened, { ramp })).toMatch(new RegExp(`^${ramp}-`));
  });

  it('is not held up by a submission that is under way', async () => {
    const opened = await submitted(ramp, { asked: -60 });
    const before = rampOf(ramp).asked;
    expect(await accountOf(opened, { ramp })).toBe(PENDING[ramp]);
    expect(rampOf(ramp).asked).toBe(before);
  });
});

describe('a question for money', () => {
  it('begins no review, and takes no submission back', async () => {
    const opened = await submitted('secondary');
    const options: unknown[] = [];
    const provider = {
      ...gateway.secondary.provider,
      verificationState: (_account: unknown, _signal: unknown, how: unknown) => {
        options.push(how);
        return Promise.resolve(stateOf('created'));
      },
    };
    const deps = { ...replica(), ramps: { primary: gateway.primary.provider, secondary: provider } };
    expect(await accountOf(opened, { ramp: 'secondary', deps })).toBe('SECONDARY_RAMP_KYC_IN_PROGRESS');
    expect(options).toEqual([{ onlyLook: true }]);
    expect((await stored(opened, 'secondary')).status).toBe('provider_pending');
  });

  it('is asked once more when a callback came while it was open', async () => {
    const opened = await submitted('primary');
    let asked = 0;
    const provider = {
      ...gateway.primary.provider,
      async verificationState() {
        asked += 1;
        if (asked > 1) return stateOf('approved');
        await gateway.test.database.rampAccount.updateMany({ data: { checkedAt: null } });
        return stateOf('provider_pending');
      },
    };
    const deps = { ...replica(), ramps: { secondary: gateway.secondary.provider, primary: provider } };
    const [first, second] = await Promise.all([
      accountOf(opened, { ramp: 'primary', deps }),
      accountOf(opened, { ramp: 'primary', deps }),
    ]);
    expect([first, second]).toContainEqual(expect.stringMatching(/^primary-/));
  });
});

describe('a submission that was decided without anybody asking', () => {
  it('may be repeated where the ramp says so', async () => {
    const opened = await submitted('primary');
    const before = gateway.primary.submissions.length;
    gateway.primary.state = stateOf('rejected_retryable');
    expect((await submit(opened, 'primary')).status).toBe(200);
    expect(gateway.primary.submissions).toHaveLength(before + 1);
  });

  it('lets the secondary ramp have what it wants anew, and documents of it', async () => {
    const opened = await submitted('secondary');
    gateway.secondary.state = stateOf('rejected_retryable');
    expect((await submit(opened, 'secondary')).status).toBe(200);
    await aged(opened, { status: 'provider_pending' });
    const before = gateway.secondary.documents.length;
    const document = { rampProvider: 'secondary', documentType: 'PROOF_OF_ADDRESS', file: image() };
    const path = `/api/v1/kyc/sessions/${opened.kycUserId}/documents`;
    expect((await gateway.call('POST', path, { body: document })).status).toBe(200);
    expect(gateway.secondary.documents).toHaveLength(before + 1);
  });

  it('stays refused while it is under review', async () => {
    const opened = await submitted('secondary');
    gateway.secondary.state = stateOf('provider_pending');
    expect((await submit(opened, 'secondary')).body.error.code).toBe('SECONDARY_RAMP_KYC_IN_PROGRESS');
  });
});

describe('people whom nobody calls back about', () => {
  const run = (deps = replica()) => refreshPending(deps, new AbortController().signal);

  it('are asked about by themselves', async () => {
    const opened = await Promise.all(RAMPS.map((ramp) => submitted(ramp)));
    for (const ramp of RAMPS) rampOf(ramp).state = stateOf('approved');
    expect(await run()).toBe(2);
    const statuses = await Promise.all(opened.map((person, index) => stored(person, RAMPS[index]!)));
    expect(statuses.map(({ status }) => status)).toEqual(['approved', 'approved']);
    expect(await run()).toBe(0);
  });

  it.each([
    ['a minute after the last question at the earliest', { asked: 50 }, 0],
    ['once a minute has passed', { asked: 70 }, 1],
    ['less often the longer nothing changes', { asked: 200, changed: 3600 }, 0],
    ['after a tenth of the time in which nothing changed', { asked: 400, changed: 3600 }, 1],
    ['every hour at the least', { asked: 3700, changed: 20 * 86_400 }, 1],
    ['not after a month', { asked: 86_400, changed: 31 * 86_400 }, 0],
    ['not while a submission is under way', { asked: -60 }, 0],
    ['not once they are approved', { status: 'approved' }, 0],
    ['not once they are rejected', { status: 'rejected' }, 0],
    ['not while documents come in one by one', { status: 'created', changed: 500 }, 0],
    ['once no further document has come for ten minutes', { status: 'created', changed: 700 }, 1],
  ] as const)('are asked about %s', async (_when, age, due) => {
    await submitted('secondary', age);
    expect(await run()).toBe(due);
  });

  it('are asked about once, however many replicas do so', async () => {
    await Promise.all(Array.from({ length: 10 }, () => submitted('primary')));
    gateway.primary.state = stateOf('provider_pending');
    const before = gateway.primary.asked;
    await Promise.all([run(), run(), run()]);
    expect(gateway.primary.asked).toBe(before + 10);
  });

  it('do not wait for others who cannot be asked about', async () => {
    const [first, second] = [await submitted('primary'), await submitted('secondary')];
    gateway.primary.failure = new Error('the line is dead');
    gateway.secondary.state = stateOf('approved');
    await run();
    gateway.primary.failure = undefined;
    expect((await stored(first, 'primary')).status).toBe('provider_pending');
    expect((await stored(second, 'secondary')).status).toBe('approved');
  });

  it('are left alone once they are erased', async () => {
    const opened = await submitted('primary');
    await gateway.test.database.kycProfile.update({
      where: { id: opened.kycUserId },
      data: { erasedAt: new Date(), externalUserId: randomUUID() },
    });
    expect(await run()).toBe(0);
  });
});

describe('dollars of a person at the primary ramp', () => {
  const account = { ramp: 'primary', rail: 'WIRE' } as const;
  const unlocked = stateOf('approved', { capabilities: { BRL: true, USD: true } });
  const locked = stateOf('approved');

  it('do not move before they are unlocked, reais do', async () => {
    const opened = await submitted('primary');
    gateway.primary.state = locked;
    expect(await accountOf(opened, account)).toBe('KYC_PROFILE_INCOMPLETE_FOR_RAMP');
    expect(await accountOf(opened, { ...account, rail: 'PIX' })).toMatch(/^primary-/);
  });

  it('move as soon as the ramp has unlocked them, though nobody asked since', async () => {
    const opened = await submitted('primary', { status: 'approved' });
    gateway.primary.state = unlocked;
    expect(await accountOf(opened, account)).toMatch(/^primary-/);
  });

  it('move at a ramp that cannot be asked when they are known to be unlocked', async () => {
    const opened = await submitted('primary');
    gateway.primary.state = unlocked;
    await accountOf(opened, account);
    await aged(opened, { asked: 10 });
    gateway.primary.state = new Error('the connection was reset') as never;
    expect(await accountOf(opened, account)).toMatch(/^primary-/);
  });
});
