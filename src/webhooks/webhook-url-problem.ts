import ipaddr from 'ipaddr.js';

const MAX_LENGTH = 2048;
const LOCAL_NAME = /(?:^|\.)(?:localhost|local|internal)\.?$/;

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
  if (policy.allowLoopback && isLoopback(url.hostname)) return undefined;
  if (url.protocol !== 'https:') return 'must be an absolute https URL';
  return isPublicHost(url.hostname) ? undefined : 'must name a public host';
}

/** `hostname` is as the URL parser writes it: lower case, IPv4 spellings canonical, IPv6 in brackets. */
function isLoopback(hostname: string): boolean {
  const literal = addressLiteral(hostname);
  return literal === undefined ? /^(?:.+\.)?localhost\.?$/.test(hostname) : literal.range() === 'loopback';
}

function isPublicHost(hostname: string): boolean {
  const literal = addressLiteral(hostname);
  if (literal === undefined) return hostname.includes('.') && !LOCAL_NAME.test(hostname);
  // `::a.b.c.d`, the deprecated form of an embedded IPv4 address, counts as unicast for ipaddr.js.
  const embedsIpv4 = literal.kind() === 'ipv6' && literal.match(ipaddr.parseCIDR('::/96'));
  return literal.range() === 'unicast' && !embedsIpv4;
}

function addressLiteral(hostname: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  const bare = hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
  return ipaddr.isValid(bare) ? ipaddr.process(bare) : undefined;
}
