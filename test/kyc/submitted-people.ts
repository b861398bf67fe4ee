import { pino } from 'pino';
import type { CustomerId } from '../../src/auth/principal';
import { isServiceError } from '../../src/errors/service-error';
import type { PollsInFlight } from '../../src/kyc/identity-deps';
import { resolveAccountHolder } from '../../src/kyc/account-holder';
import { readOnlyPoller, type PollVerificationDeps } from '../../src/kyc/poll-verification';
import { createPersonalDataVault } from '../../src/persistence/personal-data';
import type { VerificationState } from '../../src/ramps/kyc-provider';
import type { RampId, RampRail } from '../../src/ramps/ramp-provider';
import { evidenceOf, secondaryOf } from './kyc-bodies';
import { type KycGateway, type Opened, openedSession } from './kyc-gateway';
import { stateOf } from './scripted-ramps';
import { createSingleFlight } from '../../src/async/single-flight';

const vault = createPersonalDataVault({
  keys: [{ version: 1, key: Buffer.from('cd'.repeat(32), 'hex') }],
  indexKey: Buffer.from('ef'.repeat(32), 'hex'),
});

interface AccountQuery {
  readonly ramp: RampId;
  readonly rail?: RampRail;
  readonly deps?: PollVerificationDeps;
  readonly signal?: AbortSignal;
}

interface Age {
  /** Seconds since the last poll; never polled when absent. */
  readonly polled?: number;
  /** Seconds until the lease of a submission ends; no submission when absent. */
  readonly submitting?: number;
  /** True when the state is marked stale. */
  readonly stale?: boolean;
  /** Seconds since the last change. */
  readonly changed?: number;
  readonly status?: VerificationState['status'];
}

/** Submits people to the ramps, and resolves their accounts. */
export function submittedPeople(gateway: KycGateway) {
  const { rampAccount } = gateway.test.database;
  /** The time in every replica stands still during a test: a cooldown outlasts the slowest request, and ages are exact. */
  let now = Date.now();
  const ago = (seconds: number): Date => new Date(now - seconds * 1000);

  /** Dependencies of one process. Each process has its own polls in flight. */
  const replica = (pollsInFlight: PollsInFlight = createSingleFlight()): PollVerificationDeps => ({
    database: gateway.test.database,
    ramps: { primary: gateway.primary.provider, secondary: gateway.secondary.provider },
    pollsInFlight,
    isCoolingDown: () => false,
    clock: () => now,
    log: pino({ level: 'silent' }),
  });

  const submit = ({ kycUserId, cpf }: Opened, ramp: RampId) =>
    gateway.call('POST', `/api/v1/kyc/sessions/${kycUserId}/submit`, {
      body: ramp === 'primary' ? evidenceOf(cpf) : secondaryOf(cpf),
    });

  async function aged(
    { kycUserId }: Opened,
    { polled, submitting, stale = false, changed = 0, status }: Age,
  ): Promise<void> {
    await rampAccount.updateMany({
      where: { profileId: kycUserId },
      data: {
        polledAt: polled === undefined ? null : ago(polled),
        submissionLeasedUntil: submitting === undefined ? null : ago(-submitting),
        staleSince: stale ? ago(0) : null,
        updatedAt: ago(changed),
        ...(status === undefined ? {} : { status }),
      },
    });
  }

  return {
    /** The time in every replica. */
    now: () => ago(0),
    replica,
    submit,
    aged,

    /** The account for a quote or a ticket, or the error code. */
    accountOf: (
      { walletAddress: wallet }: Opened,
      { ramp, rail = 'PIX', deps = replica(), signal = new AbortController().signal }: AccountQuery,
    ): Promise<string> =>
      resolveAccountHolder(
        { ...readOnlyPoller(deps), vault },
        { customerId: gateway.customerIds[0] as CustomerId, wallet, ramp, name: ramp, rail },
        signal,
      ).then(
        ({ account }) => account.accountId,
        (error: unknown) => (isServiceError(error) ? error.code : String(error)),
      ),

    /** A person with a submission to a ramp of this age. */
    async submitted(ramp: RampId, age: Age = {}): Promise<Opened> {
      const opened = await openedSession(gateway);
      await submit(opened, ramp);
      await aged(opened, { status: 'provider_pending', ...age });
      return opened;
    },

    stored: ({ kycUserId }: Opened, provider: RampId) =>
      rampAccount.findUniqueOrThrow({ where: { profileId_provider: { profileId: kycUserId, provider } } }),

    /** Removes all accounts at ramps, and resets the scripts of the ramps and the time. */
    async reset(): Promise<void> {
      now = Date.now();
      for (const ramp of [gateway.primary, gateway.secondary]) {
        Object.assign(ramp, { state: stateOf('created'), failure: undefined });
      }
      await rampAccount.deleteMany({});
    },
  };
}

export type SubmittedPeople = ReturnType<typeof submittedPeople>;
