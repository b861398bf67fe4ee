import { createHmac } from 'node:crypto';
import type { Pool } from 'pg';
import { z } from 'zod';
import type { Sealer } from '../../persistence/personal-data';
import { responseContext, openResponse } from './response-sealer';
import type { CustomerId } from '../principal';

export interface IdempotentRequest {
  readonly customerId: CustomerId;
  /** The `Idempotency-Key` header. */
  readonly key: string;
  /** SHA-256 of what makes the request this request and no other. */
  readonly requestHash: Buffer;
}

export interface StoredResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** `started`: the caller runs the request. `mismatch`: the key was used for another request. `running`: it still is. */
export type IdempotencyOutcome =
  | { readonly outcome: 'started' }
  | { readonly outcome: 'replay'; readonly response: StoredResponse }
  | { readonly outcome: 'mismatch' }
  | { readonly outcome: 'running' };

/** Keeps the first answer to each key of a customer for 24 hours. */
export interface IdempotencyStore {
  /** Of any number of callers at once, in any process, one is told `started`. */
  begin(request: IdempotentRequest): Promise<IdempotencyOutcome>;
  /** Keeps the answer of a request that was started. */
  complete(request: IdempotentRequest, response: StoredResponse): Promise<void>;
  /** Frees the key of a request that was started and has no answer worth keeping. */
  abandon(request: IdempotentRequest): Promise<void>;
}

export interface IdempotencyDeps {
  readonly pool: Pick<Pool, 'query'>;
  /** After so long a request that was started and never ended may be started again: more than any request may take. */
  readonly lockSeconds: number;
  /** Key (hexadecimal) of what is kept of a request: of a plain hash, a tax id or a Pix key in it could be guessed back. */
  readonly pepper: string;
  /** Answers are kept sealed: they hold payment instructions, and tell of people. */
  readonly sealer: Sealer;
}

/** Takes the key when it is free: never used, used more than a day ago, or left behind by a process that died. */
const BEGIN = `
  INSERT INTO "IdempotentCall" AS held ("customerId", "key", "requestHash", "createdAt", "lockedUntil")
  VALUES ($1, $2, $3, now(), now() + make_interval(secs => $4))
  ON CONFLICT ("customerId", "key") DO UPDATE
    SET "requestHash" = EXCLUDED."requestHash", "status" = NULL, "answer" = NULL,
        "createdAt" = EXCLUDED."createdAt", "lockedUntil" = EXCLUDED."lockedUntil"
    WHERE held."createdAt" < now() - interval '24 hours'
       OR (held."status" IS NULL AND held."lockedUntil" < now() AND held."requestHash" = EXCLUDED."requestHash")`;

const HELD = `
  SELECT "requestHash" = $3 AS "same", "status", "answer" FROM "IdempotentCall"
  WHERE "customerId" = $1 AND "key" = $2`;

const COMPLETE = `
  UPDATE "IdempotentCall" SET "status" = $4, "answer" = $5
  WHERE "customerId" = $1 AND "key" = $2 AND "requestHash" = $3 AND "status" IS NULL`;

const ABANDON = `
  DELETE FROM "IdempotentCall"
  WHERE "customerId" = $1 AND "key" = $2 AND "requestHash" = $3 AND "status" IS NULL`;

const heldSchema = z.object({
  same: z.boolean(),
  status: z.number().nullable(),
  answer: z.instanceof(Uint8Array).nullable(),
});

export function createIdempotencyStore({ pool, lockSeconds, pepper, sealer }: IdempotencyDeps): IdempotencyStore {
  const secret = Buffer.from(pepper, 'hex');
  const identity = ({ customerId, key, requestHash }: IdempotentRequest) => [
    ...[customerId, key],
    createHmac('sha256', secret).update(requestHash).digest(),
  ];
  return {
    async begin(request) {
      for (;;) {
        const taken = await pool.query(BEGIN, [...identity(request), lockSeconds]);
        if (taken.rowCount === 1) return { outcome: 'started' };
        const held = await pool.query(HELD, identity(request));
        // No row: its holder abandoned it between the two statements, so the key is free again.
        if (held.rows.length > 0) return outcomeOf(sealer, request, heldSchema.parse(held.rows[0]));
      }
    },
    async complete(request, { status, headers, body }) {
      const answer = sealer.seal({ headers, body }, responseContext(request));
      await pool.query(COMPLETE, [...identity(request), status, Buffer.from(answer)]);
    },
    async abandon(request) {
      await pool.query(ABANDON, identity(request));
    },
  };
}

function outcomeOf(
  sealer: Sealer,
  request: IdempotentRequest,
  { same, status, answer }: z.infer<typeof heldSchema>,
): IdempotencyOutcome {
  if (!same) return { outcome: 'mismatch' };
  if (status === null || answer === null) return { outcome: 'running' };
  return { outcome: 'replay', response: { status, ...openResponse(sealer, request, answer) } };
}
