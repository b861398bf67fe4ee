import {
  constants,
  generateKeyPairSync,
  type KeyPairKeyObjectResult as KeyPair,
  type KeyObject,
  randomUUID,
  sign,
} from 'node:crypto';
import type { Control } from './control';
import type { EmulatorState } from './emulator-state';

export interface CallbackEvent {
  readonly id: string;
  readonly subAccountId: string;
  readonly subscription: 'TICKET' | 'KYC';
  readonly type: string;
  readonly createdAt: string;
  readonly data: object;
}

/** Sends callbacks to the subscribed URLs, with an RSA-PSS signature of the body. */
export interface Callbacks {
  publicKey(): string;
  rotateKey(): void;
  send(event: Omit<CallbackEvent, 'id' | 'createdAt'>): void;
  readonly events: readonly CallbackEvent[];
  /** The signature header of a body. */
  signatureOf(body: string): string;
}

export function openCallbacks(state: EmulatorState, control: Control, log: (line: string) => void): Callbacks {
  let pair: KeyPair | undefined;
  // Made when it is needed first: an RSA key takes half a second.
  const currentPair = (): KeyPair => (pair ??= newPair());
  const events: CallbackEvent[] = [];
  let queue: Promise<unknown> = Promise.resolve();
  const signatureOf = (body: string): string => signed(currentPair().privateKey, body);
  const post = async (url: string, body: string): Promise<void> => {
    const headers = { 'content-type': 'application/json', signature: signatureOf(body) };
    await fetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(5000) }).catch((error: unknown) =>
      log(`the callback to ${url} failed: ${String(error)}`),
    );
  };
  return {
    publicKey: () => currentPair().publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    rotateKey() {
      pair = newPair();
    },
    send(content) {
      const event = { ...content, id: randomUUID(), createdAt: new Date().toISOString() };
      events.push(event);
      if (!control.callbacks) return;
      const body = JSON.stringify(event);
      const subscribers = state.webhooks.filter(
        ({ subscriptions }) => subscriptions.includes('*') || subscriptions.includes(content.subscription),
      );
      queue = queue.then(() => Promise.all(subscribers.map(({ url }) => post(url, body))));
    },
    events,
    signatureOf,
  };
}

const newPair = (): KeyPair => generateKeyPairSync('rsa', { modulusLength: 2048 });

function signed(key: KeyObject, body: string): string {
  const { RSA_PKCS1_PSS_PADDING: padding, RSA_PSS_SALTLEN_MAX_SIGN: saltLength } = constants;
  return sign('sha256', Buffer.from(body), { key, padding, saltLength }).toString('base64');
}
