import ipaddr from 'ipaddr.js';

const LOCAL_NAME = /(?:^|\.)(?:localhost|local|internal)\.?$/;

/**
 * True when a host may be public: a name without a local suffix, or the literal of a public address. `hostname` is in the
 * form of the URL parser: lower case, canonical IPv4, IPv6 in brackets.
 */
export function isPublicHost(hostname: string): boolean {
  const literal = addressLiteral(hostname);
  if (literal === undefined) return hostname.includes('.') && !LOCAL_NAME.test(hostname);
  return isPublic(literal);
}

/** True for a public address, which is always unicast. */
export function isPublicAddress(address: string): boolean {
  return ipaddr.isValid(address) && isPublic(ipaddr.process(address));
}

/** True for hosts of this machine. */
export function isLoopbackHost(hostname: string): boolean {
  const literal = addressLiteral(hostname);
  return literal === undefined ? /^(?:.+\.)?localhost\.?$/.test(hostname) : literal.range() === 'loopback';
}

function isPublic(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  // ipaddr.js classifies `::a.b.c.d`, the deprecated form of an embedded IPv4 address, as unicast.
  const embedsIpv4 = address.kind() === 'ipv6' && address.match(ipaddr.parseCIDR('::/96'));
  return address.range() === 'unicast' && !embedsIpv4;
}

function addressLiteral(hostname: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  const bare = hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
  return ipaddr.isValid(bare) ? ipaddr.process(bare) : undefined;
}
