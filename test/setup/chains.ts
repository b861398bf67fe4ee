import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Universe, startUniverse } from '../../devnet/universe';
import startDatabase from './database';

declare global {
  var universesUnderTest:
    | { readonly server: Server; readonly directory: string; readonly universes: Map<string, Promise<Universe>> }
    | undefined;
}

/** Short, so that confirmations do not slow the tests down. */
const BLOCK_TIME_SECONDS = 0.2;

/**
 * Starts a database, as what happens on chain is written down, and hands a universe of local chains to each test worker, started when a test of that worker first asks for it:
 * files that run at the same time do not move one another's prices, and may take snapshots and go back to them.
 */
export default async function serveUniverses(): Promise<void> {
  await startDatabase();
  const directory = mkdtempSync(path.join(tmpdir(), 'afluente-chains-'));
  const universes = new Map<string, Promise<Universe>>();
  const universeOf = (worker: string): Promise<Universe> => {
    const dataDirectory = path.join(directory, worker);
    const universe =
      universes.get(worker) ?? startUniverse({ dataDirectory, log: console.log, blockTimeSeconds: BLOCK_TIME_SECONDS });
    universes.set(worker, universe);
    return universe;
  };
  const server = createServer((request, response) => {
    const worker = path.basename(request.url ?? '0');
    universeOf(worker).then(
      ({ chains, accounts }) => response.end(JSON.stringify({ chains, accounts })),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  globalThis.universesUnderTest = { server, directory, universes };
  process.env['AFLUENTE_TEST_CHAINS'] = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
}
