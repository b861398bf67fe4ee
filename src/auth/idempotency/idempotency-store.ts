import { createHmac } from 'node:crypto';
import type { Pool } from 'pg';
import { z } from 'zod';
import type { Sealer } from '../../persistence/personal-data';
import { responseContext, openResponse } from './response-sealer';
import type { CustomerId } from '../principal';
import { runForCustomer } from '../../persistence/customer-scope';

export interface IdempotentRequest {
  readonly customerId: CustomerId;
  /** The `Idempotency-Key` header. */
  readonly key: string;
  /** SHA-256 of the parts that identify the request. */
  readonly requestHash: Buffer;
}

/** A request that may run. Its `claim` is the version of the row that `begin` wrote: a later request with the same key has another one. */
export interface ClaimedRequest extends IdempotentRequest {
  readonly claim: string;
}

export interface StoredResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * - `started`: the caller runs the request.
 * - `replay`: the request has a stored response.
 * - `mismatch`: the key was used for another request.
 * - `running`: the first request is in progress.
 */
export type IdempotencyOutcome =
  | { readonly outcome: 'started'; readonly claimed: ClaimedRequest }
  | { readonly outcome: 'replay'; readonly response: StoredResponse }
  | { readonly outcome: 'mismatch' }
  | { readonly outcome: 'running' };

/** Stores the first response for each key of a customer for 24 hours. */
export interface IdempotencyStore {
  /** Milliseconds after which a request that never completed may start again. */
  readonly lockMs: number;
  /** Exactly one of any number of concurrent callers, in any process, gets `started`. */
  begin(request: IdempotentRequest): Promise<IdempotencyOutcome>;
  /** Stores the response of a started request. Does nothing when the request has ended or another one has its key. */
  complete(claimed: ClaimedRequest, response: StoredResponse): Promise<void>;
  /** Releases the key of a started request without a response to store, under the same condition. */
  abandon(claimed: ClaimedRequest): Promise<void>;
}

export interface IdempotencyDeps {
  readonly pool: Pick<Pool, 'query'>;
  /** Seconds after which a request that never completed may start again. Longer than any request may take. */
  readonly lockSeconds: number;
  /** HMAC key (hexadecimal) for request hashes. A plain hash of a tax id or Pix key could be reversed by guessing. */
  readonly pepper: string;
  /** Responses are stored sealed: they contain payment instructions and personal data. */
  readonly sealer: Sealer;
}

/** Claims the key when it is free: never used, used more than a day ago, or abandoned by a crashed process. */
const BEGIN = `
  INSERT INTO "IdempotentCall" AS held ("customerId", "key", "requestHash", "createdAt", "lockedUntil")
  VALUES ($1, $2, $3, now(), now() + make_interval(secs => $4))
  ON CONFLICT ("customerId", "key") DO UPDATE
    SET "requestHash" = EXCLUDED."requestHash", "status" = NULL, "answer" = NULL,
        "createdAt" = EXCLUDED."createdAt", "lockedUntil" = EXCLUDED."lockedUntil"
    WHERE held."createdAt" < now() - interval '24 hours'
       OR (held."status" IS NULL AND held."lockedUntil" < now() AND held."requestHash" = EXCLUDED."requestHash")
  RETURNING "xmin"::text AS "claim"`;

const HELD = `
  SELECT "requestHash" = $3 AS "same", "status", "answer" FROM "IdempotentCall"
  WHERE "customerId" = $1 AND "key" = $2`;

/**
 * The row that `BEGIN` wrote. `xmin` is the transaction that wrote a row, and each `BEGIN` is a transaction of its own. An end may be
 * executed late or again, when a later request has the key: without this it would release or answer that one.
 */
const CLAIMED = '"customerId" = $1 AND "key" = $2 AND "xmin" = $3::xid AND "status" IS NULL';

const COMPLETE = `UPDATE "IdempotentCall" SET "status" = $4, "answer" = $5 WHERE ${CLAIMED}`;

const ABANDON = `DELETE FROM "IdempotentCall" WHERE ${CLAIMED}`;

const claimSchema = z.object({ claim: z.string() });

const heldSchema = z.object({
  same: z.boolean(),
  status: z.number().nullable(),
  answer: z.instanceof(Uint8Array).nullable(),
});

export function createIdempotencyStore({ pool, lockSeconds, pepper, sealer }: IdempotencyDeps): IdempotencyStore {
  const secret = Buffer.from(pepper, 'hex');
  const rowKey = ({ customerId, key, requestHash }: IdempotentRequest) => [
    ...[customerId, key],
    createHmac('sha256', secret).update(requestHash).digest(),
  ];
  const queryFor = ({ customerId }: Pick<IdempotentRequest, 'customerId'>, text: string, values: readonly unknown[]) =>
    runForCustomer(customerId, () => pool.query(text, [...values]));
  return {
    lockMs: lockSeconds * 1000,
    async begin(request) {
      for (;;) {
        const claimed = await queryFor(request, BEGIN, [...rowKey(request), lockSeconds]);
        if (claimed.rows.length > 0) {
          return { outcome: 'started', claimed: { ...request, ...claimSchema.parse(claimed.rows[0]) } };
        }
        const held = await queryFor(request, HELD, rowKey(request));
        // No row: the key was released between the two statements, so try again.
        if (held.rows.length > 0) return outcomeOf(sealer, request, heldSchema.parse(held.rows[0]));
      }
    },
    async complete(claimed, { status, headers, body }) {
      const sealed = sealer.seal({ headers, body }, responseContext(claimed));
      const values = [claimed.customerId, claimed.key, claimed.claim, status, Buffer.from(sealed)];
      await queryFor(claimed, COMPLETE, values);
    },
    async abandon(claimed) {
      await queryFor(claimed, ABANDON, [claimed.customerId, claimed.key, claimed.claim]);
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
