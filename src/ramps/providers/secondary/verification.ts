import { UpstreamError } from '../../../http/upstream-error';
import type { VerificationState } from '../../identity-provider';
import { isRefused } from './failures';
import { customerById, apiPath, type SecondaryRampApi } from './ramp-api';
import {
  listOf,
  rails,
  readResponse,
  verificationDetails,
  type VerificationDetails,
  type WireCustomer,
  type WireStep,
  type WireSteps,
} from './wire';

/** A step of the verification, by its name, or with why it was turned down. */
export type VerificationStep =
  | string
  | {
      readonly name: string;
      readonly rejectionCodes: readonly string[];
      readonly rejectionDescription: string | undefined;
    };

/** Where the steps of a verification are: what `VerificationState.verification` is at this ramp. */
export interface VerificationSteps {
  readonly type: string | undefined;
  readonly pending: readonly VerificationStep[];
  readonly underReview: readonly VerificationStep[];
  readonly approved: readonly VerificationStep[];
  readonly partiallyRejected: readonly VerificationStep[];
  readonly rejected: readonly VerificationStep[];
}

export interface VerificationQuestion {
  readonly accountId: string;
  readonly readOnly: boolean;
}

/**
 * What the ramp thinks of a customer. While steps are open, it is asked to look at what was handed in: it does not do so by
 * itself, and refuses without harm when there is nothing to see. Who only looks does not have it do so.
 *
 * @throws UpstreamError
 */
export async function requestVerificationState(
  api: SecondaryRampApi,
  { accountId, readOnly }: VerificationQuestion,
  signal: AbortSignal,
): Promise<VerificationState> {
  const before = await lookAt(api, accountId, signal);
  const { found, steps } = readOnly ? before : await lookAfterCheck(api, { accountId, before }, signal);
  const providerStatus = found.status === 'pending' && steps.underReview.length > 0 ? 'under_review' : found.status;
  const status = STATUSES[providerStatus];
  const turnedDown = status === 'rejected' || status === 'rejected_retryable';
  return {
    status,
    providerStatus,
    rejectReason: turnedDown ? reasonOf([...steps.rejected, ...steps.partiallyRejected]) : undefined,
    verificationLink: status === 'approved' ? undefined : httpsOf(found.verification?.verification_link),
    capabilities: {
      BRL: status === 'approved',
      USD: status === 'approved' && (await paysByWire(api, accountId, signal)),
    },
    verification: steps,
  };
}

async function lookAfterCheck(
  api: SecondaryRampApi,
  { accountId, before }: { readonly accountId: string; readonly before: Look },
  signal: AbortSignal,
): Promise<Look> {
  const isLookedAt = isOpen(before) && (await requestCheck(api, accountId, signal));
  return isLookedAt ? lookAt(api, accountId, signal) : before;
}

const STATUSES: Readonly<Record<WireCustomer['status'], VerificationState['status']>> = {
  pending: 'created',
  under_review: 'provider_pending',
  approved: 'approved',
  rejected: 'rejected',
  partially_rejected: 'rejected_retryable',
};

interface Look {
  readonly found: WireCustomer;
  readonly steps: VerificationSteps;
}

async function lookAt(api: SecondaryRampApi, accountId: string, signal: AbortSignal): Promise<Look> {
  const path = apiPath('customers', accountId, 'verification-details');
  const [found, details] = await Promise.all([
    customerById(api, accountId, signal),
    api.http
      .get(path, {}, signal)
      .then((body) => verificationDetails.safeParse(body).data ?? NOTHING, nothingIfRefused),
  ]);
  const byState = stepsByState(details.verification_steps ?? []);
  return { found, steps: outward(byState, found.verification?.verification_type) };
}

const NOTHING: VerificationDetails = { customer_status: undefined, verification_steps: undefined };

/** The status counts; its steps are told where there are any. @throws UpstreamError */
function nothingIfRefused(error: unknown): VerificationDetails {
  if (isRefused(error)) return NOTHING;
  throw error;
}

/** Steps that nobody looks at yet: missing, or handed in and waiting for us to ask. */
const isOpen = ({ found, steps }: Look): boolean =>
  steps.pending.length > 0 &&
  (found.status === 'partially_rejected' || (found.status === 'pending' && steps.underReview.length === 0));

/** False when there is nothing to look at. @throws UpstreamError */
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
  steps: WireSteps | readonly { readonly name: string; readonly status: string | undefined }[],
): WireSteps {
  if (!isList(steps)) return steps;
  const those = (state: string): WireStep[] =>
    steps.filter(({ status = 'pending' }) => status.toLowerCase() === state).map(({ name }) => name);
  const [pending = [], under_review = [], approved = [], partially_rejected = [], rejected = []] = STATES.map(those);
  return { pending, under_review, approved, partially_rejected, rejected };
}

const isList = (value: object): value is readonly { readonly name: string; readonly status: string | undefined }[] =>
  Array.isArray(value);

const outward = (steps: WireSteps, type: string | undefined): VerificationSteps => ({
  type,
  pending: (steps.pending ?? []).map(outwardStep),
  underReview: (steps.under_review ?? []).map(outwardStep),
  approved: (steps.approved ?? []).map(outwardStep),
  partiallyRejected: (steps.partially_rejected ?? []).map(outwardStep),
  rejected: (steps.rejected ?? []).map(outwardStep),
});

function outwardStep(step: WireStep): VerificationStep {
  if (typeof step === 'string') return step;
  const { name, rejection_code, rejection_codes, rejection_description: rejectionDescription } = step;
  const rejectionCodes = rejection_codes ?? rejection_code;
  if (rejectionCodes === undefined && rejectionDescription === undefined) return name;
  return { name, rejectionCodes: rejectionCodes ?? [], rejectionDescription };
}

const CODE = /^[A-Z][A-Z0-9_]{0,59}$/;

/** The ramp's codes; its sentences stand beside the steps. */
function reasonOf(steps: readonly VerificationStep[]): string {
  const codes = steps.flatMap((step) => (typeof step === 'string' ? [] : step.rejectionCodes));
  const known = [...new Set(codes)].filter((code) => CODE.test(code));
  return known.length === 0 ? 'REJECTED' : known.join(', ');
}

const httpsOf = (link: string | undefined): string | undefined =>
  link !== undefined && /^https?:\/\//.test(link) ? link : undefined;

/** Whether the ramp lets the customer use wires. It does so on request, by hand: what cannot be read is no. */
async function paysByWire({ http }: SecondaryRampApi, accountId: string, signal: AbortSignal): Promise<boolean> {
  try {
    const known = readResponse(rails, listOf(await http.get(apiPath('customers', accountId, 'rails'), {}, signal)));
    return known.some((rail) => {
      if (typeof rail === 'string') return /wire/i.test(rail);
      const isOn = rail.enabled ?? (rail.status === undefined || /^(active|enabled|approved)$/i.test(rail.status));
      return isOn && /wire/i.test(rail.payment_rail ?? rail.rail ?? '');
    });
  } catch (error) {
    if (isRefused(error) || (error instanceof UpstreamError && error.kind === 'unreadable')) return false;
    throw error;
  }
}
