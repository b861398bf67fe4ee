import type { DevnetAccount } from '../../devnet/accounts';
import { createJsonRpc } from '../../devnet/json-rpc';
import type { DevnetChain } from '../../devnet/universe';

export interface TestUniverse {
  readonly chains: readonly DevnetChain[];
  readonly accounts: readonly DevnetAccount[];
}

/** Puts the chains back to where the test file found them. */
const goBacks: (() => Promise<void>)[] = [];

/**
 * The local chains of this test worker. Its test files run one after another and find them as they were set up: what a
 * file did to them is undone at its end.
 */
export async function universeOfTests(): Promise<TestUniverse> {
  const url = process.env['AFLUENTE_TEST_CHAINS'];
  if (url === undefined) throw new Error('no chains run: name the test file *.chain.test.ts');
  const response = await fetch(`${url}/${process.env['JEST_WORKER_ID'] ?? '1'}`);
  if (!response.ok) throw new Error(await response.text());
  const universe = (await response.json()) as TestUniverse;
  if (goBacks.length === 0) goBacks.push(...(await Promise.all(universe.chains.map(restoration))));
  return universe;
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
  const rpc = createJsonRpc(chain.rpcUrl);
  const id = await rpc.call('evm_snapshot');
  return async () => {
    await rpc.call('evm_revert', [id]);
  };
}

/** The chain's clock goes back with its state: it is set to the present again. */
async function restoration(chain: DevnetChain): Promise<() => Promise<void>> {
  const goBack = await snapshotOf(chain);
  return async () => {
    await goBack();
    const rpc = createJsonRpc(chain.rpcUrl);
    await rpc.call('evm_setTime', [Math.floor(Date.now() / 1000)]);
    await rpc.call('evm_mine');
  };
}

/** Runs after the tests of a file, see `restored-chains.ts`. */
export async function restoreChains(): Promise<void> {
  await Promise.all(goBacks.splice(0).map((goBack) => goBack()));
}
