import ipaddr from 'ipaddr.js';

const LOCAL_NAME = /(?:^|\.)(?:localhost|local|internal)\.?$/;

/**
 * True when a host may be public: a name that is not local by its form, or the literal of a public address.
 * `hostname` is as the URL parser writes it: lower case, IPv4 spellings canonical, IPv6 in brackets.
 */
export function isPublicHost(hostname: string): boolean {
  const literal = addressLiteral(hostname);
  if (literal === undefined) return hostname.includes('.') && !LOCAL_NAME.test(hostname);
  return isPublic(literal);
}

/** True for an address that a name resolved to, when it is public. Anything but unicast is not. */
export function isPublicAddress(address: string): boolean {
  return ipaddr.isValid(address) && isPublic(ipaddr.process(address));
}

/** True when a host names this machine. */
export function isLoopbackHost(hostname: string): boolean {
  const literal = addressLiteral(hostname);
  return literal === undefined ? /^(?:.+\.)?localhost\.?$/.test(hostname) : literal.range() === 'loopback';
}

function isPublic(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  // `::a.b.c.d`, the deprecated form of an embedded IPv4 address, counts as unicast for ipaddr.js.
  const embedsIpv4 = address.kind() === 'ipv6' && address.match(ipaddr.parseCIDR('::/96'));
  return address.range() === 'unicast' && !embedsIpv4;
}

function addressLiteral(hostname: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  const bare = hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
  return ipaddr.isValid(bare) ? ipaddr.process(bare) : undefined;
}
