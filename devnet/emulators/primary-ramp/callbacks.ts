import { constants, generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto';
import type { Control } from './control';
import type { World } from './world';

export interface CallbackEvent {
  readonly id: string;
  readonly subAccountId: string;
  readonly subscription: 'TICKET' | 'KYC';
  readonly type: string;
  readonly createdAt: string;
  readonly data: object;
}

/** Calls back whoever subscribed, with an RSA-PSS signature of the body. */
export interface Callbacks {
  publicKey(): string;
  rotateKey(): void;
  tell(event: Omit<CallbackEvent, 'id' | 'createdAt'>): void;
  readonly events: readonly CallbackEvent[];
  /** The header that goes with a body. */
  signatureOf(body: string): string;
}

export function openCallbacks(world: World, control: Control, log: (line: string) => void): Callbacks {
  let pair = newPair();
  const events: CallbackEvent[] = [];
  let queue: Promise<unknown> = Promise.resolve();
  const signatureOf = (body: string): string => signed(pair.privateKey, body);
  const post = async (url: string, body: string): Promise<void> => {
    const headers = { 'content-type': 'application/json', signature: signatureOf(body) };
    await fetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(5000) }).catch((error: unknown) =>
      log(`the ramp could not call ${url} back: ${String(error)}`),
    );
  };
  return {
    publicKey: () => pair.publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    rotateKey() {
      pair = newPair();
    },
    tell(told) {
      const event = { ...told, id: randomUUID(), createdAt: new Date().toISOString() };
      events.push(event);
      if (!control.callbacks) return;
      const body = JSON.stringify(event);
      const takers = world.webhooks.filter(
        ({ subscriptions }) => subscriptions.includes('*') || subscriptions.includes(told.subscription),
      );
      queue = queue.then(() => Promise.all(takers.map(({ url }) => post(url, body))));
    },
    events,
    signatureOf,
  };
}

const newPair = () => generateKeyPairSync('rsa', { modulusLength: 2048 });

function signed(key: KeyObject, body: string): string {
  const { RSA_PKCS1_PSS_PADDING: padding, RSA_PSS_SALTLEN_MAX_SIGN: saltLength } = constants;
  return sign('sha256', Buffer.from(body), { key, padding, saltLength }).toString('base64');
}
