import { isIPv6 } from 'node:net';
import type { Config } from '../config/config';

/** Addresses to listen on everywhere, and what this machine reaches itself by then. */
const EVERYWHERE: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/** Where callers reach the service, without a slash at the end: as configured, or else where it listens. */
export function publicUrl({ PUBLIC_URL, HOST, PORT }: Pick<Config, 'PUBLIC_URL' | 'HOST' | 'PORT'>): string {
  if (PUBLIC_URL !== undefined) return PUBLIC_URL.replace(/\/+$/, '');
  const host = EVERYWHERE[HOST] ?? HOST;
  return `http://${isIPv6(host) ? `[${host}]` : host}:${String(PORT)}`;
}
