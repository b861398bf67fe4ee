import { isLoopbackHost, isPublicHost } from '../http/public-address';

const MAX_LENGTH = 2048;

export interface WebhookUrlPolicy {
  /** True when receivers on this machine are accepted, also over plain HTTP. */
  readonly allowLoopback: boolean;
}

/**
 * Checks the URL of a webhook receiver without resolving its host: absolute, https, without credentials, and with a host
 * that may be public. The resolved address is checked when a delivery connects.
 *
 * Returns the problem; `undefined` for an acceptable URL.
 */
export function webhookUrlProblem(text: string, policy: WebhookUrlPolicy): string | undefined {
  if (text.length > MAX_LENGTH) return `must be at most ${MAX_LENGTH} characters long`;
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return 'must be an absolute https URL';
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') return 'must not contain credentials';
  if (policy.allowLoopback && isLoopbackHost(url.hostname)) return undefined;
  if (url.protocol !== 'https:') return 'must be an absolute https URL';
  return isPublicHost(url.hostname) ? undefined : 'must name a public host';
}
