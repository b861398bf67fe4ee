import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createJsonRpc } from '../../devnet/json-rpc';
import { EXTENSIONS } from '../../devnet/extensions';
import type { DevnetSlug } from '../../devnet/liquidity';
import { AAVE_EXTENSION } from '../../devnet/strategies/aave-market';
import { type Universe, startUniverse } from '../../devnet/universe';
import { aaveV36Extension } from '../strategies/aave-v3-6';
import startDatabase from './database';

declare global {
  /** `stop` ends the chains and removes their files. It may be called again. */
  var universesUnderTest: { stop(): Promise<void> } | undefined;
}

interface ServedUniverses {
  readonly server: Server;
  readonly directory: string;
  readonly universes: Universes;
  readonly halted: HaltedChains;
}

type Universes = Map<string, Promise<Universe>>;
/** How chains that mine no empty blocks for now, by worker and slug, begin to mine them again. */
type HaltedChains = Map<string, () => void>;

/** Short, so that confirmations do not slow the tests down. */
const BLOCK_TIME_SECONDS = 0.2;

/**
 * Starts a database, as what happens on chain is written down, and hands a universe of local chains to each test
 * worker, started at the first request of that worker: files that run at the same time do not move one
 * another's prices, and may take snapshots and go back to them.
 *
 * - `POST /{worker}` responds with the universe as it was set up.
 * - `POST /{worker}/{chain}/revert/{snapshot}` goes back to a snapshot.
 * - `POST /{worker}/{chain}/halt` stops the empty blocks of a chain, `POST /{worker}/{chain}/resume` starts them again.
 */
export default async function serveUniverses(): Promise<void> {
  await startDatabase();
  const directory = mkdtempSync(path.join(tmpdir(), 'afluente-chains-'));
  const universes: Universes = new Map();
  const halted: HaltedChains = new Map();
  const serve = serverOf({ universes, halted, directory });
  const server = createServer((request, response) => {
    serve(request.url ?? '').then(
      (result) => response.end(JSON.stringify(result)),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  let stopping: Promise<void> | undefined;
  const stop = (): Promise<void> => stopUniverses({ server, directory, universes, halted });
  globalThis.universesUnderTest = { stop: () => (stopping ??= stop()) };
  process.env['AFLUENTE_TEST_CHAINS'] = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
}

async function stopUniverses({ server, directory, universes, halted }: ServedUniverses): Promise<void> {
  server.close();
  server.closeAllConnections();
  for (const release of halted.values()) release();
  const started = await Promise.allSettled([...universes.values()]);
  await Promise.all(started.flatMap((result) => (result.status === 'fulfilled' ? [result.value.stop()] : [])));
  rmSync(directory, { recursive: true, force: true });
}

function serverOf({
  universes,
  halted,
  directory,
}: Pick<ServedUniverses, 'universes' | 'halted' | 'directory'>): (route: string) => Promise<object> {
  const goBacks = new Map<string, () => Promise<unknown>>();
  const universeOf = (worker: string): Promise<Universe> => {
    const start = { dataDirectory: path.join(directory, worker), log: console.log, extensions: extensionsOfTests() };
    const universe = universes.get(worker) ?? startUniverse({ ...start, blockTimeSeconds: BLOCK_TIME_SECONDS });
    universes.set(worker, universe);
    return universe;
  };
  return async (route) => {
    const [, worker = '', slug, operation, snapshot] = route.split('/');
    const universe = await universeOf(worker);
    if (slug === undefined) {
      for (const chain of universe.chains) resume(halted, `${worker}/${chain.slug}`);
      await goBacks.get(worker)?.();
      goBacks.set(worker, await restorationOf(universe));
      return { chains: universe.chains, accounts: universe.accounts, strategies: universe.strategies };
    }
    const chain = universe.chains.find((candidate) => candidate.slug === slug)!;
    const key = `${worker}/${slug}`;
    if (operation === 'halt') await halt(universe, chain.slug, (release) => halted.set(key, release));
    else if (operation === 'resume') resume(halted, key);
    else if (halted.has(key)) await revert(chain, snapshot);
    else await universe.hold(chain.slug, () => revert(chain, snapshot));
    return {};
  };
}

/** `npm run test:aave-3.6` names the compiled contracts of that version, which take the place of the market of the local chains. */
function extensionsOfTests(): typeof EXTENSIONS {
  const artifacts = process.env['AFLUENTE_TEST_AAVE_V3_6'];
  if (artifacts === undefined) return EXTENSIONS;
  return EXTENSIONS.map((extension) => (extension === AAVE_EXTENSION ? aaveV36Extension(artifacts) : extension));
}

/** Resolves when the chain mines no empty blocks any more; they start again when the function given is called. */
async function halt(universe: Universe, slug: DevnetSlug, onHalted: (release: () => void) => void): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const untilReleased = () =>
      new Promise<void>((release) => {
        onHalted(release);
        resolve();
      });
    universe.hold(slug, untilReleased).catch(reject);
  });
}

function resume(halted: HaltedChains, key: string): void {
  halted.get(key)?.();
  halted.delete(key);
}

/** Remembers the state of all chains. The clock of a chain goes back with its state: it is set to the present again. */
async function restorationOf(universe: Universe): Promise<() => Promise<void>> {
  const restorations = await Promise.all(
    universe.chains.map(async (chain) => {
      const rpc = createJsonRpc(chain.rpcUrl);
      const snapshot = await rpc.call('evm_snapshot');
      return async () => {
        await rpc.call('evm_setAutomine', [true]); // a test that failed may have left it off
        await universe.hold(chain.slug, () => revert(chain, snapshot));
        await rpc.call('evm_setTime', [Math.floor(Date.now() / 1000)]);
        await rpc.call('evm_mine');
      };
    }),
  );
  return async () => {
    await Promise.all(restorations.map((restore) => restore()));
  };
}

async function revert({ slug, rpcUrl }: Universe['chains'][number], snapshot: unknown): Promise<void> {
  const isReverted = await createJsonRpc(rpcUrl).call('evm_revert', [snapshot]);
  if (isReverted !== true) throw new Error(`${slug} has no snapshot ${String(snapshot)}`);
}
