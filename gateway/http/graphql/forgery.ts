import type { FastifyRequest } from 'fastify';
import { requestProblem } from '../../rest/failure';

const PREFLIGHTED = ['x-apollo-operation-name', 'apollo-require-preflight'];
/** How a browser fetches for a page that may not read the answer. */
const BLIND_MODES = new Set(['no-cors', 'navigate', 'websocket']);

/**
 * Refuses a GET that another site made a browser send without asking first. A POST needs `application/json`, which browsers
 * ask first for; credentials are headers, which they never send by themselves.
 */
export function refuseForgery({ method, headers }: FastifyRequest): void {
  if (method !== 'GET' || !BLIND_MODES.has(headers['sec-fetch-mode'] ?? '')) return;
  if (PREFLIGHTED.some((name) => (headers[name] ?? '') !== '')) return;
  throw requestProblem(400, 'sec-fetch-mode', 'of a cross-site request forgery: send apollo-require-preflight');
}
