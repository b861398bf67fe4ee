import { isLoopbackHost, isPublicHost } from '../http/public-address';

const MAX_LENGTH = 2048;

export interface WebhookUrlPolicy {
  /** True when receivers on this machine are accepted, over plain HTTP too. */
  readonly allowLoopback: boolean;
}

/**
 * Checks a URL that a caller wants events to be sent to, as far as that is possible without a look-up:
 * absolute, https, no credentials, and no address literal or name that cannot be public.
 * What the name resolves to is checked again when a delivery connects.
 *
 * Returns what is wrong with it, `undefined` when nothing is.
 */
export function webhookUrlProblem(text: string, policy: WebhookUrlPolicy): string | undefined {
  if (text.length > MAX_LENGTH) return `must be at most ${MAX_LENGTH} characters long`;
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return 'must be an absolute https URL';
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') return 'must not carry credentials';
  if (policy.allowLoopback && isLoopbackHost(url.hostname)) return undefined;
  if (url.protocol !== 'https:') return 'must be an absolute https URL';
  return isPublicHost(url.hostname) ? undefined : 'must name a public host';
}
