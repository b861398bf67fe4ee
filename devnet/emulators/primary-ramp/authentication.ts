import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import type { EmulatorHandler, EmulatorRequest } from '../http-emulator';
import { ApiError } from './api-error';

export interface Client {
  readonly apiKey: string;
  /** RSA, in PEM. */
  readonly publicKey: string;
}

const WINDOW_MS = 300_000;

/** Lets through what the client has signed: time, method, target and body, byte for byte. */
export function authenticated({ apiKey, publicKey }: Client) {
  const key = createPublicKey(publicKey);
  return (method: string, handler: EmulatorHandler): EmulatorHandler =>
    (request) => {
      const { headers } = request;
      if (headers['x-api-key'] !== apiKey) throw new ApiError(401, 'unknown API key');
      const timestamp = header(request, 'x-api-timestamp');
      if (!/^\d{13}$/.test(timestamp) || Math.abs(Date.now() - Number.parseInt(timestamp, 10)) > WINDOW_MS) {
        throw new ApiError(401, 'the timestamp is more than 5 minutes off');
      }
      if (!isSigned(key, `${timestamp}${method}${request.target}${request.rawBody.toString('utf8')}`, request)) {
        throw new ApiError(401, 'invalid signature');
      }
      return handler(request);
    };
}

function header({ headers }: EmulatorRequest, name: string): string {
  const value = headers[name];
  return typeof value === 'string' ? value : '';
}

const isSigned = (key: KeyObject, text: string, request: EmulatorRequest): boolean =>
  verify('sha256', Buffer.from(text), key, Buffer.from(header(request, 'x-api-signature'), 'base64'));
