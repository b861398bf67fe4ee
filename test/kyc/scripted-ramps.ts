import { serviceError } from '../../src/errors/service-error';
import type {
  AccountOpening,
  DocumentSubmission,
  EvidenceSubmission,
  Person,
  RampKycProvider,
  VerificationState,
} from '../../src/ramps/kyc-provider';
import type { RampId, AccountLimit, RampProvider } from '../../src/ramps/ramp-provider';

/** A ramp with scripted responses that records its requests. */
export interface ScriptedRamp {
  readonly provider: RampKycProvider & Pick<RampProvider, 'accountLimits'>;
  readonly opened: ({ readonly person: Person } & AccountOpening)[];
  readonly submissions: EvidenceSubmission[];
  readonly documents: DocumentSubmission[];
  readonly unlocked: string[];
  readonly saved: unknown[];
  /** Number of polls. */
  polls: number;
  /** The state of every verification. */
  state: VerificationState;
  /** The limits of every account. */
  limits: readonly AccountLimit[];
  /** Accounts whose limits were requested. */
  readonly limitRequests: string[];
  /** Thrown by every request. */
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
    limitRequests: [],
    polls: 0,
    state: stateOf('created'),
    failure: undefined,
    provider: {
      id,
      openAccount: (person, opening) => {
        ramp.opened.push({ person, ...opening });
        return respond({ accountId: `${id}-${ramp.opened.length}`, kycUserId: opening.kycUserId });
      },
      submitEvidence: (submission) => {
        ramp.submissions.push(submission);
        return respond({ attemptId: `attempt-${ramp.submissions.length}` });
      },
      verificationState: () => {
        ramp.polls += 1;
        return respond(ramp.state);
      },
      accountLimits: ({ accountId }) => {
        ramp.limitRequests.push(accountId);
        return respond(ramp.limits);
      },
      unlockCurrency: (account) => {
        ramp.unlocked.push(account.accountId);
        ramp.state = { ...ramp.state, capabilities: { ...ramp.state.capabilities, USD: true } };
        return respond(undefined);
      },
      saveBeneficiary: (_account, target) => {
        ramp.saved.push(target);
        return respond(`bank-${ramp.saved.length}`);
      },
      ...(id === 'secondary'
        ? {
            submitDocument: (submission: DocumentSubmission) => {
              ramp.documents.push(submission);
              return respond(undefined);
            },
          }
        : {}),
    },
  };
  const respond = <Value>(value: Value): Promise<Value> =>
    ramp.failure === undefined ? Promise.resolve(value) : Promise.reject(ramp.failure);
  return ramp;
}

export const rampFailure = {
  notConfigured: () => serviceError('SECONDARY_RAMP_NOT_CONFIGURED'),
  api: () => serviceError('SECONDARY_RAMP_API_ERROR'),
  customer: () => serviceError('INVALID_SECONDARY_RAMP_CUSTOMER'),
};
