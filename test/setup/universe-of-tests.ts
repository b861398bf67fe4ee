import type { DevnetAccount } from '../../devnet/accounts';
import { createJsonRpc } from '../../devnet/json-rpc';
import type { DevnetStrategy } from '../../devnet/strategies/strategy-rows';
import type { DevnetChain } from '../../devnet/universe';

export interface TestUniverse {
  readonly chains: readonly DevnetChain[];
  readonly accounts: readonly DevnetAccount[];
  readonly strategies: readonly DevnetStrategy[];
}

const urlOfWorker = (): string => {
  const url = process.env['AFLUENTE_TEST_CHAINS'];
  if (url === undefined) throw new Error('no chains run: name the test file *.chain.test.ts');
  return `${url}/${process.env['JEST_WORKER_ID'] ?? '1'}`;
};

async function post(url: string): Promise<unknown> {
  // On a connection of its own: one that was kept may be closed by the server while the request is sent.
  const response = await fetch(url, { method: 'POST', headers: { connection: 'close' } });
  if (!response.ok) throw new Error(await response.text());
  return response.json();
}

/** Modules live as long as their test file: the first call of a file puts the chains back to where they were set up. */
let universe: Promise<unknown> | undefined;

/**
 * The local chains of this test worker. Its test files run one after another and find them as they were set up: what
 * earlier files did to them is undone.
 */
export async function universeOfTests(): Promise<TestUniverse> {
  universe ??= post(urlOfWorker());
  return (await universe) as TestUniverse;
}

export function chainNamed(universe: TestUniverse, slug: DevnetChain['slug']): DevnetChain {
  return universe.chains.find((chain) => chain.slug === slug)!;
}

export function tokenNamed(chain: DevnetChain, symbol: string): DevnetChain['tokens'][number] {
  const token = chain.tokens.find((candidate) => candidate.symbol === symbol);
  if (token === undefined) throw new Error(`${chain.slug} has no token ${symbol}`);
  return token;
}

/** Remembers the state of a chain. Returns a function that goes back to it, once. */
export async function snapshotOf(chain: DevnetChain): Promise<() => Promise<void>> {
  const snapshot = await createJsonRpc(chain.rpcUrl).call('evm_snapshot');
  return async () => {
    await post(`${urlOfWorker()}/${chain.slug}/revert/${String(snapshot)}`);
  };
}

/**
 * Stops the empty blocks of a chain until the end of the test file, or until the function returned is called:
 * transactions are mined, but get no confirmations. For tests of what happens before a transaction is final.
 */
export async function haltBlocks(chain: DevnetChain): Promise<() => Promise<void>> {
  const url = `${urlOfWorker()}/${chain.slug}`;
  await post(`${url}/halt`);
  return async () => {
    await post(`${url}/resume`);
  };
}
