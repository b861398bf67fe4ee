import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * Under which name a client's address is counted: IPv4 as it is (also when written as IPv6), IPv6 by its /64,
 * which is what one subscriber has.
 */
export function clientNetwork(address: string): string {
  if (isIP(address) === 0) return 'unknown';
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  const network = (parsed as ipaddr.IPv6).parts.slice(0, 4).map((part) => part.toString(16));
  return `${network.join(':')}::/64`;
}
