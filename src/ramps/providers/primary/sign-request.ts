import { createPrivateKey, sign } from 'node:crypto';
import type { HttpClientOptions } from '../../../http/http-client';

export interface RequestSigningOptions {
  readonly apiKey: string;
  /** RSA key in PEM. */
  readonly privateKey: string;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/**
 * Headers of a request to the primary ramp: API key, time, and an RSA signature (PKCS #1 v1.5, SHA-256) of time, method,
 * target and body as they are sent.
 *
 * @see https://integration-guide.avenia.io
 */
export function primaryRampSignature(options: RequestSigningOptions): NonNullable<HttpClientOptions['sign']> {
  const { apiKey, now = Date.now } = options;
  const key = createPrivateKey(options.privateKey);
  return ({ method, target, body }) => {
    const timestamp = now().toString();
    const signature = sign('sha256', Buffer.from(`${timestamp}${method}${target}${body}`), key);
    return { 'x-api-key': apiKey, 'x-api-timestamp': timestamp, 'x-api-signature': signature.toString('base64') };
  };
}
