/** Route with the largest bodies. */
export const LARGE_BODY_PATH = '/api/v1/kyc/sessions/00000000-0000-7000-8000-000000000001/submit';

/** The attacked service. */
export interface Target {
  readonly url: string;
  /** Key of the attacker. */
  readonly apiKey: string;
  /** Address of the attacker, for a service that trusts a proxy. */
  readonly address: string;
}

/** Result of a hostile request: the status of its response, or `closed` when the service ended the connection. */
export type Outcome = number | 'closed';

/** True for a response that is no failure of the service. */
export const isExpected = (outcome: Outcome): boolean => outcome === 'closed' || outcome < 500 || outcome === 503;
