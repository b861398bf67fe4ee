import { UpstreamError } from '../../../http/upstream-error';
import type { VerificationState } from '../../kyc-provider';
import { isRefused } from './failures';
import { customerById, apiPath, type SecondaryRampApi } from './ramp-api';
import {
  listOf,
  rails,
  readResponse,
  verificationDetails,
  type VerificationDetails,
  type ApiCustomer,
  type ApiStep,
  type ApiSteps,
} from './api-schemas';

/** A step of a verification: its name, or with the reason of its rejection. */
export type VerificationStep =
  | string
  | {
      readonly name: string;
      readonly rejectionCodes: readonly string[];
      readonly rejectionDescription: string | undefined;
    };

/** The steps of a verification by state: `VerificationState.verification` at this ramp. */
export interface VerificationSteps {
  readonly type: string | undefined;
  readonly pending: readonly VerificationStep[];
  readonly underReview: readonly VerificationStep[];
  readonly approved: readonly VerificationStep[];
  readonly partiallyRejected: readonly VerificationStep[];
  readonly rejected: readonly VerificationStep[];
}

/**
 * Requests the verification state of a customer. While steps are open a review is requested as well, unless `readOnly`: the
 * ramp starts none by itself, and a review without documents is refused without effect.
 *
 * @throws UpstreamError
 */
export async function requestVerificationState(
  api: SecondaryRampApi,
  { accountId, readOnly }: { readonly accountId: string; readonly readOnly: boolean },
  signal: AbortSignal,
): Promise<VerificationState> {
  const before = await requestSnapshot(api, accountId, signal);
  const { found, steps } = readOnly ? before : await snapshotAfterCheck(api, { accountId, before }, signal);
  const providerStatus = found.status === 'pending' && steps.underReview.length > 0 ? 'under_review' : found.status;
  const status = STATUSES[providerStatus];
  const isRejected = status === 'rejected' || status === 'rejected_retryable';
  return {
    status,
    providerStatus,
    rejectReason: isRejected ? rejectReasonOf([...steps.rejected, ...steps.partiallyRejected]) : undefined,
    verificationLink: status === 'approved' ? undefined : webLink(found.verification?.verification_link),
    capabilities: {
      BRL: status === 'approved',
      USD: status === 'approved' && (await hasWires(api, accountId, signal)),
    },
    verification: steps,
  };
}

async function snapshotAfterCheck(
  api: SecondaryRampApi,
  { accountId, before }: { readonly accountId: string; readonly before: VerificationSnapshot },
  signal: AbortSignal,
): Promise<VerificationSnapshot> {
  const isInReview = hasOpenSteps(before) && (await requestCheck(api, accountId, signal));
  return isInReview ? requestSnapshot(api, accountId, signal) : before;
}

const STATUSES: Readonly<Record<ApiCustomer['status'], VerificationState['status']>> = {
  pending: 'created',
  under_review: 'provider_pending',
  approved: 'approved',
  rejected: 'rejected',
  partially_rejected: 'rejected_retryable',
};

interface VerificationSnapshot {
  readonly found: ApiCustomer;
  readonly steps: VerificationSteps;
}

async function requestSnapshot(
  api: SecondaryRampApi,
  accountId: string,
  signal: AbortSignal,
): Promise<VerificationSnapshot> {
  const path = apiPath('customers', accountId, 'verification-details');
  const [found, details] = await Promise.all([
    customerById(api, accountId, signal),
    api.http
      .get(path, {}, signal)
      .then((body) => verificationDetails.safeParse(body).data ?? NO_DETAILS, noDetailsIfRefused),
  ]);
  const byState = stepsByState(details.verification_steps ?? []);
  return { found, steps: toVerificationSteps(byState, found.verification?.verification_type) };
}

const NO_DETAILS: VerificationDetails = { customer_status: undefined, verification_steps: undefined };

/** A refusal counts as a state without steps. @throws UpstreamError */
function noDetailsIfRefused(error: unknown): VerificationDetails {
  if (isRefused(error)) return NO_DETAILS;
  throw error;
}

/** True when steps lack documents, or have documents and await a request for review. */
const hasOpenSteps = ({ found, steps }: VerificationSnapshot): boolean =>
  steps.pending.length > 0 &&
  (found.status === 'partially_rejected' || (found.status === 'pending' && steps.underReview.length === 0));

/** Requests a review. False when the ramp refuses, because documents are missing. @throws UpstreamError */
export async function requestCheck(
  { http }: SecondaryRampApi,
  accountId: string,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    await http.call({ method: 'POST', path: apiPath('customers', accountId, 'check'), signal });
    return true;
  } catch (error) {
    if (isRefused(error)) return false;
    throw error;
  }
}

const STATES = ['pending', 'under_review', 'approved', 'partially_rejected', 'rejected'] as const;

function stepsByState(
  steps: ApiSteps | readonly { readonly name: string; readonly status: string | undefined }[],
): ApiSteps {
  if (!isList(steps)) return steps;
  const stepsIn = (state: string): ApiStep[] =>
    steps.filter(({ status = 'pending' }) => status.toLowerCase() === state).map(({ name }) => name);
  const [pending = [], under_review = [], approved = [], partially_rejected = [], rejected = []] = STATES.map(stepsIn);
  return { pending, under_review, approved, partially_rejected, rejected };
}

const isList = (value: object): value is readonly { readonly name: string; readonly status: string | undefined }[] =>
  Array.isArray(value);

const toVerificationSteps = (steps: ApiSteps, type: string | undefined): VerificationSteps => ({
  type,
  pending: (steps.pending ?? []).map(toVerificationStep),
  underReview: (steps.under_review ?? []).map(toVerificationStep),
  approved: (steps.approved ?? []).map(toVerificationStep),
  partiallyRejected: (steps.partially_rejected ?? []).map(toVerificationStep),
  rejected: (steps.rejected ?? []).map(toVerificationStep),
});

function toVerificationStep(step: ApiStep): VerificationStep {
  if (typeof step === 'string') return step;
  const { name, rejection_code, rejection_codes, rejection_description: rejectionDescription } = step;
  const rejectionCodes = rejection_codes ?? rejection_code;
  if (rejectionCodes === undefined && rejectionDescription === undefined) return name;
  return { name, rejectionCodes: rejectionCodes ?? [], rejectionDescription };
}

const CODE = /^[A-Z][A-Z0-9_]{0,59}$/;

/** The ramp's rejection codes. Its descriptions are part of the steps. */
function rejectReasonOf(steps: readonly VerificationStep[]): string {
  const codes = steps.flatMap((step) => (typeof step === 'string' ? [] : step.rejectionCodes));
  const valid = [...new Set(codes)].filter((code) => CODE.test(code));
  return valid.length === 0 ? 'REJECTED' : valid.join(', ');
}

const webLink = (link: string | undefined): string | undefined =>
  link !== undefined && /^https?:\/\//.test(link) ? link : undefined;

/** True when wires are enabled for the customer, which the ramp does manually. False when the response is unreadable. */
async function hasWires({ http }: SecondaryRampApi, accountId: string, signal: AbortSignal): Promise<boolean> {
  try {
    const customerRails = readResponse(
      rails,
      listOf(await http.get(apiPath('customers', accountId, 'rails'), {}, signal)),
    );
    return customerRails.some((rail) => {
      if (typeof rail === 'string') return /wire/i.test(rail);
      const isEnabled = rail.enabled ?? (rail.status === undefined || /^(active|enabled|approved)$/i.test(rail.status));
      return isEnabled && /wire/i.test(rail.payment_rail ?? rail.rail ?? '');
    });
  } catch (error) {
    if (isRefused(error) || (error instanceof UpstreamError && error.kind === 'unreadable')) return false;
    throw error;
  }
}
