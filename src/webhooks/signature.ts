import { createHmac, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;

/** A new secret in the form of Standard Webhooks: `whsec_` and the base64 of 32 random bytes. */
export const createWebhookSecret = (): string => `${PREFIX}${randomBytes(SECRET_BYTES).toString('base64')}`;

export interface SignedMessage {
  /** The header `webhook-id`. */
  readonly id: string;
  /** Unix seconds. */
  readonly timestamp: number;
  /** The bytes that are sent. */
  readonly body: string;
}

/**
 * The header `webhook-signature`: one HMAC-SHA-256 for each secret, separated by spaces.
 *
 * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export const webhookSignature = (secrets: readonly string[], { id, timestamp, body }: SignedMessage): string =>
  secrets
    .map((secret) => {
      const key = Buffer.from(secret.replace(PREFIX, ''), 'base64');
      return `v1,${createHmac('sha256', key)
        .update(`${id}.${String(timestamp)}.${body}`)
        .digest('base64')}`;
    })
    .join(' ');
