import type { VerificationState } from '../../src/ramps/kyc-provider';
import type { RampId } from '../../src/ramps/ramp-provider';
import { image } from './kyc-bodies';
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

const PENDING = { primary: 'KYC_PROFILE_INCOMPLETE_FOR_RAMP', secondary: 'SECONDARY_RAMP_KYC_IN_PROGRESS' } as const;

describe.each(RAMPS)('money of a person at the %s ramp', (ramp) => {
  it.each(['created', 'provider_pending', 'rejected_retryable'] as const)(
    'moves as soon as the ramp has approved them, when the stored status is "%s"',
    async (status) => {
      const opened = await people.submitted(ramp, { status });
      rampOf(ramp).state = stateOf('approved');
      expect(await people.accountOf(opened, { ramp })).toMatch(new RegExp(`^${ramp}-`));
      expect((await people.stored(opened, ramp)).status).toBe('approved');
    },
  );

  it('is refused when the ramp has not, with one poll for all concurrent callers', async () => {
    const opened = await people.submitted(ramp);
    rampOf(ramp).state = stateOf('provider_pending');
    const before = rampOf(ramp).polls;
    const replicas = [people.replica(), people.replica()];
    const results = await Promise.all(
      Array.from({ length: 12 }, (_, index) => people.accountOf(opened, { ramp, deps: replicas[index % 2]! })),
    );
    expect(new Set(results)).toEqual(new Set([PENDING[ramp]]));
    expect(rampOf(ramp).polls).toBe(before + 1);
  });

  it('moves for every concurrent caller of a process', async () => {
    const opened = await people.submitted(ramp);
    rampOf(ramp).state = stateOf('approved');
    const [deps, before] = [people.replica(), rampOf(ramp).polls];
    const results = await Promise.all(Array.from({ length: 12 }, () => people.accountOf(opened, { ramp, deps })));
    expect(results).toEqual(results.map(() => expect.stringMatching(new RegExp(`^${ramp}-`))));
    expect(rampOf(ramp).polls).toBe(before + 1);
  });

  it('is refused by the stored state when the ramp exceeds the timeout, and a later response is stored', async () => {
    const opened = await people.submitted(ramp);
    const deps = people.replica();
    let respond: (state: VerificationState) => void = () => undefined;
    const slow = new Promise<VerificationState>((resolve) => (respond = resolve));
    const provider = { ...rampOf(ramp).provider, verificationState: () => slow };
    const slowDeps = { ...deps, ramps: { ...deps.ramps, [ramp]: provider } };
    const limited = { ramp, deps: slowDeps, signal: AbortSignal.timeout(20) };
    expect(await people.accountOf(opened, limited)).toBe(PENDING[ramp]);
    const waiting = people.accountOf(opened, { ramp, deps: slowDeps });
    respond(stateOf('approved'));
    expect(await waiting).toMatch(new RegExp(`^${ramp}-`));
  });

  it('is refused by the stored state when the ramp is unavailable', async () => {
    const opened = await people.submitted(ramp);
    rampOf(ramp).failure = new Error('connection lost');
    expect(await people.accountOf(opened, { ramp })).toBe(PENDING[ramp]);
    rampOf(ramp).failure = undefined;
  });

  it('is refused at once while the ramp is cooling down', async () => {
    const opened = await people.submitted(ramp);
    rampOf(ramp).state = stateOf('approved');
    const before = rampOf(ramp).polls;
    const deps = { ...people.replica(), isCoolingDown: (id: RampId) => id === ramp };
    expect(await people.accountOf(opened, { ramp, deps })).toBe(PENDING[ramp]);
    expect(rampOf(ramp).polls).toBe(before);
    expect(await people.accountOf(opened, { ramp })).toMatch(new RegExp(`^${ramp}-`));
  });

  it('is not delayed by a submission in progress', async () => {
    const opened = await people.submitted(ramp, { submitting: 60 });
    const before = rampOf(ramp).polls;
    expect(await people.accountOf(opened, { ramp })).toBe(PENDING[ramp]);
    expect(rampOf(ramp).polls).toBe(before);
  });
});

describe('a read-only poll', () => {
  it('requests no review, and reverts no submission', async () => {
    const opened = await people.submitted('secondary');
    const options: unknown[] = [];
    const provider = {
      ...gateway.secondary.provider,
      verificationState: (_account: unknown, _signal: unknown, how: unknown) => {
        options.push(how);
        return Promise.resolve(stateOf('created'));
      },
    };
    const deps = { ...people.replica(), ramps: { primary: gateway.primary.provider, secondary: provider } };
    expect(await people.accountOf(opened, { ramp: 'secondary', deps })).toBe('SECONDARY_RAMP_KYC_IN_PROGRESS');
    expect(options).toEqual([{ readOnly: true }]);
    expect((await people.stored(opened, 'secondary')).status).toBe('provider_pending');
  });

  it('is repeated after a callback during it', async () => {
    const opened = await people.submitted('primary');
    let polls = 0;
    const provider = {
      ...gateway.primary.provider,
      async verificationState() {
        polls += 1;
        if (polls > 1) return stateOf('approved');
        await gateway.test.database.rampAccount.updateMany({ data: { staleSince: new Date(), pollToken: null } });
        return stateOf('provider_pending');
      },
    };
    const deps = { ...people.replica(), ramps: { secondary: gateway.secondary.provider, primary: provider } };
    const [first, second] = await Promise.all([
      people.accountOf(opened, { ramp: 'primary', deps }),
      people.accountOf(opened, { ramp: 'primary', deps }),
    ]);
    expect([first, second]).toContainEqual(expect.stringMatching(/^primary-/));
  });
});

describe('a submission that was decided since the last poll', () => {
  it('may be repeated when the ramp allows it', async () => {
    const opened = await people.submitted('primary');
    const before = gateway.primary.submissions.length;
    gateway.primary.state = stateOf('rejected_retryable');
    expect((await people.submit(opened, 'primary')).status).toBe(200);
    expect(gateway.primary.submissions).toHaveLength(before + 1);
  });

  it('may be repeated at the secondary ramp, with documents', async () => {
    const opened = await people.submitted('secondary');
    gateway.secondary.state = stateOf('rejected_retryable');
    expect((await people.submit(opened, 'secondary')).status).toBe(200);
    await people.aged(opened, { status: 'provider_pending' });
    const before = gateway.secondary.documents.length;
    const document = { rampProvider: 'secondary', documentType: 'PROOF_OF_ADDRESS', file: image() };
    const path = `/api/v1/kyc/sessions/${opened.kycUserId}/documents`;
    expect((await gateway.call('POST', path, { body: document })).status).toBe(200);
    expect(gateway.secondary.documents).toHaveLength(before + 1);
  });

  it('stays refused while it is under review', async () => {
    const opened = await people.submitted('secondary');
    gateway.secondary.state = stateOf('provider_pending');
    expect((await people.submit(opened, 'secondary')).body.error.code).toBe('SECONDARY_RAMP_KYC_IN_PROGRESS');
  });
});

describe('dollars of a person at the primary ramp', () => {
  const account = { ramp: 'primary', rail: 'WIRE' } as const;
  const unlocked = stateOf('approved', { capabilities: { BRL: true, USD: true } });
  const locked = stateOf('approved');

  it('do not move before they are unlocked, while reais do', async () => {
    const opened = await people.submitted('primary');
    gateway.primary.state = locked;
    expect(await people.accountOf(opened, account)).toBe('KYC_PROFILE_INCOMPLETE_FOR_RAMP');
    expect(await people.accountOf(opened, { ...account, rail: 'PIX' })).toMatch(/^primary-/);
  });

  it('move as soon as the ramp has unlocked them, without a poll in between', async () => {
    const opened = await people.submitted('primary', { status: 'approved' });
    gateway.primary.state = unlocked;
    expect(await people.accountOf(opened, account)).toMatch(/^primary-/);
  });

  it('move at an unavailable ramp when the stored state is unlocked', async () => {
    const opened = await people.submitted('primary');
    gateway.primary.state = unlocked;
    await people.accountOf(opened, account);
    await people.aged(opened, { polled: 10 });
    gateway.primary.failure = new Error('connection lost');
    expect(await people.accountOf(opened, account)).toMatch(/^primary-/);
    gateway.primary.failure = undefined;
  });
});
