import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createJsonRpc } from '../../devnet/json-rpc';
import { type Universe, startUniverse } from '../../devnet/universe';
import startDatabase from './database';

declare global {
  var universesUnderTest:
    { readonly server: Server; readonly directory: string; readonly universes: Universes } | undefined;
}

type Universes = Map<string, Promise<Universe>>;

/** Short, so that confirmations do not slow the tests down. */
const BLOCK_TIME_SECONDS = 0.2;

/**
 * Starts a database, as what happens on chain is written down, and hands a universe of local chains to each test
 * worker, started when a test of that worker first asks for it: files that run at the same time do not move one
 * another's prices, and may take snapshots and go back to them.
 *
 * `POST /{worker}` answers with the universe as it was set up, `POST /{worker}/{chain}/{snapshot}` goes back to a
 * snapshot.
 */
export default async function serveUniverses(): Promise<void> {
  await startDatabase();
  const directory = mkdtempSync(path.join(tmpdir(), 'afluente-chains-'));
  const universes: Universes = new Map();
  const serve = serverOf(universes, directory);
  const server = createServer((request, response) => {
    serve(request.url ?? '').then(
      (answer) => response.end(JSON.stringify(answer)),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  globalThis.universesUnderTest = { server, directory, universes };
  process.env['AFLUENTE_TEST_CHAINS'] = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
}

function serverOf(universes: Universes, directory: string): (route: string) => Promise<object> {
  const goBacks = new Map<string, () => Promise<unknown>>();
  const universeOf = (worker: string): Promise<Universe> => {
    const start = { dataDirectory: path.join(directory, worker), log: console.log };
    const universe = universes.get(worker) ?? startUniverse({ ...start, blockTimeSeconds: BLOCK_TIME_SECONDS });
    universes.set(worker, universe);
    return universe;
  };
  return async (route) => {
    const [, worker = '', slug, snapshot] = route.split('/');
    const universe = await universeOf(worker);
    if (slug !== undefined) {
      await goBackTo(universe, { slug, snapshot });
      return {};
    }
    await goBacks.get(worker)?.();
    goBacks.set(worker, await restorationOf(universe));
    return { chains: universe.chains, accounts: universe.accounts };
  };
}

/** Remembers the state of all chains. The clock of a chain goes back with its state: it is set to the present again. */
async function restorationOf(universe: Universe): Promise<() => Promise<void>> {
  const restorations = await Promise.all(
    universe.chains.map(async ({ slug, rpcUrl }) => {
      const rpc = createJsonRpc(rpcUrl);
      const snapshot = await rpc.call('evm_snapshot');
      return async () => {
        await goBackTo(universe, { slug, snapshot });
        await rpc.call('evm_setTime', [Math.floor(Date.now() / 1000)]);
        await rpc.call('evm_mine');
      };
    }),
  );
  return async () => {
    await Promise.all(restorations.map((restore) => restore()));
  };
}

async function goBackTo(universe: Universe, { slug, snapshot }: { slug: string; snapshot: unknown }): Promise<void> {
  const chain = universe.chains.find((candidate) => candidate.slug === slug)!;
  const gone = await universe.hold(chain.slug, () => createJsonRpc(chain.rpcUrl).call('evm_revert', [snapshot]));
  if (gone !== true) throw new Error(`${slug} does not know the snapshot ${String(snapshot)}`);
}
