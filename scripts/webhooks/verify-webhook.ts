import { createHmac, timingSafeEqual } from 'node:crypto';

/** Maximum difference between the clocks of sender and receiver, in seconds. A replayed request is older. */
const TOLERANCE_SECONDS = 300;

export interface ReceivedWebhook {
  readonly id: string;
  readonly timestamp: string;
  readonly signature: string;
  /** The bytes as received. */
  readonly body: Buffer;
}

/**
 * True when one of the signatures was made with one of the secrets, for this body, in the last five minutes.
 *
 * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export function verifyWebhook(
  { id, timestamp, signature, body }: ReceivedWebhook,
  secrets: readonly string[],
  now: Date,
): boolean {
  const age = Math.abs(Math.floor(now.getTime() / 1000) - Number.parseInt(timestamp, 10));
  if (!(age <= TOLERANCE_SECONDS)) return false;
  const given = signature.split(' ').map((one) => Buffer.from(one));
  return secrets.some((secret) => {
    const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
    const mac = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64');
    const expected = Buffer.from(`v1,${mac}`);
    return given.some((one) => one.length === expected.length && timingSafeEqual(one, expected));
  });
}
