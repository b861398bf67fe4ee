import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { CATALOG, type ErrorCode } from '../../../src/errors/catalog';
import type { Answer } from '../../rest/answer';
import { answerOnce } from '../../rest/idempotency';
import type { GatewayDependencies } from '../dependencies';

const answerSchema = z.object({
  data: z.record(z.string(), z.unknown()).nullable(),
  errors: z.array(z.object({ extensions: z.object({ code: z.string() }) })).default([]),
});

const isOurs = (code: string): boolean => !Object.hasOwn(CATALOG, code) || CATALOG[code as ErrorCode].status >= 500;

/**
 * Whether a repeated request is to be given this answer again. Not where the operation was refused before it ran (then there
 * is no data, not even null), nor where all that came of it is a failure of ours.
 */
export function isWorthKeeping({ body }: Pick<Answer, 'body'>): boolean {
  const { success, data: answer } = answerSchema.safeParse(JSON.parse(body));
  if (!success) return false;
  const cameToSomething = Object.values(answer.data ?? {}).some((value) => value !== null);
  return cameToSomething || !answer.errors.some(({ extensions: { code } }) => isOurs(code));
}

/** As the routes of REST: a POST that carries an `Idempotency-Key` runs once, and is answered alike for 24 hours. */
export function answerKeyedOperation(
  deps: Pick<GatewayDependencies, 'idempotency' | 'log'>,
  { headers, method, body, scope: { principal } }: FastifyRequest,
  run: () => Promise<Answer>,
): Promise<Answer> {
  const key = headers['idempotency-key'];
  if (key === undefined || method !== 'POST' || principal === undefined) return run();
  const call = { key: String(key), customerId: principal.customerId, operation: 'graphql', variables: { body } };
  return answerOnce(deps, { ...call, isWorthKeeping }, run);
}
