import { serviceError } from '../../src/errors/service-error';
import type {
  AccountOpening,
  DocumentSubmission,
  EvidenceSubmission,
  Person,
  RampIdentityProvider,
  VerificationState,
} from '../../src/ramps/identity-provider';
import type { RampId, AccountLimit, RampProvider } from '../../src/ramps/ramp-provider';

/** A ramp that says what a test has it say, and remembers what it was asked. */
export interface ScriptedRamp {
  readonly provider: RampIdentityProvider & Pick<RampProvider, 'accountLimits'>;
  readonly opened: ({ readonly person: Person } & AccountOpening)[];
  readonly submissions: EvidenceSubmission[];
  readonly documents: DocumentSubmission[];
  readonly unlocked: string[];
  readonly saved: unknown[];
  /** Questions about a verification. */
  asked: number;
  /** What it thinks of a person. */
  state: VerificationState;
  /** What it lets everybody move. */
  limits: readonly AccountLimit[];
  /** Accounts whose limits were asked for. */
  readonly limitsAskedOf: string[];
  /** Thrown by everything that it is asked to do. */
  failure: Error | undefined;
}

export const stateOf = (
  status: VerificationState['status'],
  more: Partial<VerificationState> = {},
): VerificationState => ({
  status,
  providerStatus: status.toUpperCase(),
  rejectReason: undefined,
  verificationLink: undefined,
  capabilities: { BRL: status === 'approved', USD: false },
  ...more,
});

export function scriptedRamp(id: RampId): ScriptedRamp {
  const ramp: ScriptedRamp = {
    opened: [],
    submissions: [],
    documents: [],
    unlocked: [],
    saved: [],
    limits: [],
    limitsAskedOf: [],
    asked: 0,
    state: stateOf('created'),
    failure: undefined,
    provider: {
      id,
      openAccount: (person, opening) => {
        ramp.opened.push({ person, ...opening });
        return answer({ accountId: `${id}-${ramp.opened.length}`, kycUserId: opening.kycUserId });
      },
      submitEvidence: (submission) => {
        ramp.submissions.push(submission);
        return answer({ attemptId: `attempt-${ramp.submissions.length}` });
      },
      verificationState: () => {
        ramp.asked += 1;
        return answer(ramp.state);
      },
      accountLimits: ({ accountId }) => {
        ramp.limitsAskedOf.push(accountId);
        return answer(ramp.limits);
      },
      unlockCurrency: (account) => {
        ramp.unlocked.push(account.accountId);
        ramp.state = { ...ramp.state, capabilities: { ...ramp.state.capabilities, USD: true } };
        return answer(undefined);
      },
      saveBeneficiary: (_account, target) => {
        ramp.saved.push(target);
        return answer(`bank-${ramp.saved.length}`);
      },
      ...(id === 'secondary'
        ? {
            submitDocument: (submission: DocumentSubmission) => {
              ramp.documents.push(submission);
              return answer(undefined);
            },
          }
        : {}),
    },
  };
  const answer = <Value>(value: Value): Promise<Value> =>
    ramp.failure === undefined ? Promise.resolve(value) : Promise.reject(ramp.failure);
  return ramp;
}

export const rampFailure = {
  notConfigured: () => serviceError('SECONDARY_RAMP_NOT_CONFIGURED'),
  api: () => serviceError('SECONDARY_RAMP_API_ERROR'),
  customer: () => serviceError('INVALID_SECONDARY_RAMP_CUSTOMER'),
};
