import { type ChildProcess, fork } from 'node:child_process';
import path from 'node:path';
import { z } from 'zod';
import { StartupError } from './startup-error';

const hex = z.templateLiteral(['0x', z.string()]);

const readySchema = z.object({
  ready: z.literal(true),
  chains: z.array(
    z.looseObject({
      slug: z.string(),
      chainId: z.number(),
      rpcUrl: z.url(),
      tokens: z.array(z.looseObject({ address: z.string(), symbol: z.string() })),
    }),
  ),
  accounts: z.array(z.object({ address: hex, privateKey: hex })),
  solanaAccounts: z.array(z.object({ address: z.string(), secretKey: z.string() })),
  /** Rows for `STRATEGIES_FILE`. */
  strategies: z.array(z.looseObject({ id: z.string() })),
  /** Base URLs by name of the third party. */
  emulators: z.record(z.string(), z.url()),
  /** Keys for the service, as environment variables. */
  keys: z.record(z.string(), z.string()),
  identityProvider: z.object({ url: z.url(), issuer: z.string(), audience: z.string(), jwksUrl: z.url() }),
});
const failedSchema = z.object({ ready: z.literal(false), reason: z.string() });
const tokenSchema = z.object({ id: z.number(), token: z.string() });

/** Description of the running embedded universe. */
export type UniverseDescription = z.infer<typeof readySchema>;

export interface TokenRequest {
  readonly customerId: string;
  readonly subject: string;
  readonly role: string;
  readonly expiresInSeconds: number;
}

export interface UniverseProcess {
  readonly description: UniverseDescription;
  /** An access token of the embedded identity provider. */
  issueToken(request: TokenRequest): Promise<string>;
  /** Resolves with a sentence for the operator when the process has ended by itself; pending otherwise. */
  readonly failed: Promise<string>;
  stop(): Promise<void>;
}

/** Starts the local chains and the identity provider in a separate process, which ends with this one. */
export async function startUniverseProcess(directory: string): Promise<UniverseProcess> {
  const entry = path.resolve(__dirname, '../../devnet/main.js');
  // In a separate process group: Ctrl-C reaches only the service, which then stops the universe in order.
  const child = fork(entry, [directory], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'], detached: true });
  const ended = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) => resolve(signal ?? `exit ${String(code)}`));
  });
  const description = await readyMessage(child);
  const waiting = new Map<number, (token: string) => void>();
  child.on('message', (message) => {
    const response = tokenSchema.safeParse(message);
    if (!response.success) return;
    waiting.get(response.data.id)?.(response.data.token);
    waiting.delete(response.data.id);
  });
  let lastId = 0;
  let isStopping = false;
  return {
    description,
    failed: new Promise((resolve) => {
      void ended.then((reason) => {
        if (!isStopping) resolve(`The process of the local chains and emulators ended by itself (${reason}).`);
      });
    }),
    issueToken(request) {
      const id = ++lastId;
      return new Promise((resolve) => {
        waiting.set(id, resolve);
        child.send({ issueToken: request, id });
      });
    },
    async stop() {
      isStopping = true;
      if (child.connected) child.send({ stop: true });
      await ended;
    },
  };
}

function readyMessage(child: ChildProcess): Promise<UniverseDescription> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => reject(new StartupError(`The local chains did not start (exit ${String(code)}).`)));
    child.on('message', (message) => {
      const failed = failedSchema.safeParse(message);
      if (failed.success) reject(new StartupError(`The local chains did not start: ${failed.data.reason}`));
      const ready = readySchema.safeParse(message);
      if (ready.success) resolve(ready.data);
    });
  });
}
