import { invariant } from '../errors/invariant-error';
import { isLoopbackHost, isPublicHost } from '../http/public-address';

const MAX_LENGTH = 2048;
/** Longest name of a host in the DNS, in the ASCII form that the URL parser makes of it. */
const MAX_HOST_LENGTH = 253;
/** Control characters, which the URL parser removes or encodes, and halves of characters: the database stores neither. */
const UNSTORABLE = /[\p{Cc}\p{Cs}]/u;

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
  if (UNSTORABLE.test(text)) return 'must not contain control characters';
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return 'must be an absolute https URL';
  return parsedProblem(new URL(text), policy);
}

function parsedProblem(url: URL, policy: WebhookUrlPolicy): string | undefined {
  if (url.username !== '' || url.password !== '') return 'must not contain credentials';
  if (!isHostStorable(url)) return `must name a host of at most ${MAX_HOST_LENGTH} characters in its ASCII form`;
  if (policy.allowLoopback && isLoopbackHost(url.hostname)) return undefined;
  if (url.protocol !== 'https:') return 'must be an absolute https URL';
  return isPublicHost(url.hostname) ? undefined : 'must name a public host';
}

/** The parser makes hosts of thousands of characters of other scripts. An index with the origin would not take them. */
const isHostStorable = ({ hostname }: URL): boolean => hostname.length <= MAX_HOST_LENGTH;

/** Scheme, host and port of the URL of a receiver. @throws for one that was stored with a host that is too long */
export function originOf(text: string): string {
  const url = new URL(text);
  invariant(isHostStorable(url), `the host of the URL is longer than ${MAX_HOST_LENGTH} characters`);
  return url.origin;
}
