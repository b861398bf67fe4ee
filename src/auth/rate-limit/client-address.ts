import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * The network that a client's address is counted as: the address itself for IPv4 (also when mapped to IPv6), the /64 of one
 * subscriber for IPv6.
 */
export function clientNetwork(address: string): string {
  if (isIP(address) === 0) return 'unknown';
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  const network = (parsed as ipaddr.IPv6).parts.slice(0, 4).map((part) => part.toString(16));
  return `${network.join(':')}::/64`;
}
