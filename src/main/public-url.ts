import { isIPv6 } from 'node:net';
import type { Config } from '../config/config';

/** Loopback addresses for the addresses that listen on every interface. */
const LOOPBACK_OF: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/** The public URL without a trailing slash: the configured one, or the address that the service listens on. */
export function publicUrl({ PUBLIC_URL, HOST, PORT }: Pick<Config, 'PUBLIC_URL' | 'HOST' | 'PORT'>): string {
  if (PUBLIC_URL !== undefined) return PUBLIC_URL.replace(/\/+$/, '');
  const host = LOOPBACK_OF[HOST] ?? HOST;
  return `http://${isIPv6(host) ? `[${host}]` : host}:${String(PORT)}`;
}
