import { z } from 'zod';
import { DevnetError } from './devnet-error';
import { type Emulation, startEmulation } from './emulation';
import type { IdentityProvider } from './identity-provider/start-identity-provider';

/*
 * The embedded universe in a process of its own: `main <data directory>`. Over IPC it
 * - sends `{ ready: true, chains, accounts, solanaAccounts, strategies, emulators, keys, identityProvider }`
 *   once, or `{ ready: false, reason }` and ends;
 * - responds to `{ issueToken: { customerId, subject, role, expiresInSeconds? }, id }` with `{ id, token }`;
 * - saves the chains' state and ends on `{ stop: true }`, SIGTERM, SIGINT, or when the parent has gone.
 */

const stopMessage = z.object({ stop: z.literal(true) });
const tokenMessage = z.object({
  id: z.number(),
  issueToken: z.object({
    customerId: z.string(),
    subject: z.string(),
    role: z.string(),
    expiresInSeconds: z.number().optional(),
  }),
});

async function main(): Promise<void> {
  const stopRequested = untilStopRequested();
  try {
    const emulation = await start(process.argv[2]);
    report(descriptionOf(emulation));
    process.on('message', (message) => void issueToken(emulation.identityProvider, message));
    const ended = await Promise.race([stopRequested, emulation.ended]);
    if (ended !== undefined) console.error(`chain ${ended} ended by itself and does not start again`);
    await emulation.stop();
    process.exit(ended === undefined ? 0 : 1); // the channel to the parent would keep it running
  } catch (error) {
    report({ ready: false, reason: error instanceof Error ? error.message : String(error) });
    process.exitCode = 1;
    if (process.connected) process.disconnect(); // not exit: the message may still be in transit
  }
}

async function start(directory: string | undefined): Promise<Emulation> {
  if (directory === undefined) throw new DevnetError('the data directory is missing');
  return startEmulation(directory, console.error);
}

function descriptionOf({ identityProvider, ...emulation }: Emulation): object {
  const { chains, accounts, solanaAccounts, strategies, emulators, keys } = emulation;
  const { url, issuer, audience, jwksUrl } = identityProvider;
  const provider = { url, issuer, audience, jwksUrl };
  const described = { chains, accounts, solanaAccounts, strategies, emulators, keys };
  return { ready: true, ...described, identityProvider: provider };
}

async function issueToken(identityProvider: IdentityProvider, message: unknown): Promise<void> {
  const request = tokenMessage.safeParse(message);
  if (!request.success) return;
  const { id, issueToken } = request.data;
  report({ id, token: await identityProvider.issueToken(issueToken) });
}

/** Sends a message to the parent process, or prints it when there is none. */
function report(message: object): void {
  if (process.send === undefined) console.log(JSON.stringify(message, undefined, 2));
  else if (process.connected) process.send(message);
}

function untilStopRequested(): Promise<undefined> {
  return new Promise((resolve) => {
    const request = (): void => resolve(undefined);
    process.once('SIGTERM', request);
    process.once('SIGINT', request);
    process.once('disconnect', request);
    process.on('message', (message) => {
      if (stopMessage.safeParse(message).success) request();
    });
  });
}

void main();
