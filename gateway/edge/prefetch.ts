import type { FastifyRequest } from 'fastify';
import { requestProblem } from './failure';

/** Refuses the prefetch request of a browser, because it must not create anything. */
export function refusePrefetch({ headers }: FastifyRequest): void {
  for (const name of ['purpose', 'sec-purpose']) {
    if (/\bprefetch\b/i.test(String(headers[name] ?? ''))) {
      throw requestProblem(422, name, 'must not be prefetch: this route may create data');
    }
  }
}
