import { z } from 'zod';
import { DevnetError } from './devnet-error';
import { type Emulation, startEmulation } from './emulation';
import type { IdentityProvider } from './identity-provider/start-identity-provider';

/*
 * The embedded universe in a process of its own: `main <data directory>`. Over IPC it
 * - sends `{ ready: true, chains, accounts, solanaAccounts, emulators, keys, identityProvider }`
 *   once, or `{ ready: false, reason }` and ends;
 * - answers `{ issueToken: { customerId, subject, role, expiresInSeconds? }, id }` with `{ id, token }`;
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
    tell(descriptionOf(emulation));
    process.on('message', (message) => void answer(emulation.identityProvider, message));
    const ended = await Promise.race([stopRequested, emulation.ended]);
    if (ended !== undefined) console.error(`chain ${ended} ended by itself`);
    await emulation.stop();
    process.exit(ended === undefined ? 0 : 1); // the channel to the parent would keep it running
  } catch (error) {
    tell({ ready: false, reason: error instanceof Error ? error.message : String(error) });
    process.exitCode = 1;
    if (process.connected) process.disconnect(); // not exit: the message may still be on its way
  }
}

async function start(directory: string | undefined): Promise<Emulation> {
  if (directory === undefined) throw new DevnetError('the data directory is missing');
  return startEmulation(directory, console.error);
}

function descriptionOf({ identityProvider, ...emulation }: Emulation): object {
  const { chains, accounts, solanaAccounts, emulators, keys } = emulation;
  const { url, issuer, audience, jwksUrl } = identityProvider;
  const provider = { url, issuer, audience, jwksUrl };
  return { ready: true, chains, accounts, solanaAccounts, emulators, keys, identityProvider: provider };
}

async function answer(identityProvider: IdentityProvider, message: unknown): Promise<void> {
  const request = tokenMessage.safeParse(message);
  if (!request.success) return;
  const { id, issueToken } = request.data;
  tell({ id, token: await identityProvider.issueToken(issueToken) });
}

/** Without a parent to tell, to the terminal. */
function tell(message: object): void {
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
