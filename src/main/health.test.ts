import type { Pool } from 'pg';
import { createChainTable } from '../chains/chain-table';
import { KNOWN_CHAINS } from '../chains/known-chains';
import { createProviderGuards } from '../venues/provider-guards';
import { createHealthCheck, type HealthDeps } from './health';

const pool = { query: () => Promise.resolve({ rows: [{ count: 0 }] }) } as unknown as Pick<Pool, 'query'>;
const BASE = 8453;
const node = (status: 'ok' | 'down', reason?: string): HealthDeps['nodes'][number] => ({
  serves: (chainId) => chainId === BASE,
  health: () => Promise.resolve({ status, blockNumber: undefined, lagSeconds: undefined, reason }),
});

const health = (changes: Partial<HealthDeps>) =>
  createHealthCheck({
    pool,
    nodes: [node('ok')],
    chains: { table: createChainTable(KNOWN_CHAINS), rpcUrls: new Map() },
    providers: [],
    guards: createProviderGuards(),
    jobs: () => 'ok',
    isIndexed: () => true,
    version: '1',
    ...changes,
  });
const report = (changes: Partial<HealthDeps>) => health(changes).report();

test('a process with everything that it needs is ok, also when jobs and subgraphs run elsewhere', async () => {
  expect(await report({})).toMatchObject({ serving: true, body: { status: 'ok', checks: { jobs: 'ok' } } });
  const apart = {
    jobs: () => Promise.resolve('elsewhere' as const),
    subgraphs: () => Promise.resolve({ swaps: 'ok' as const, kyc: 'in process' as const }),
    identityProvider: () => Promise.resolve('ok' as const),
  };
  expect(await report(apart)).toMatchObject({
    serving: true,
    body: { status: 'ok', checks: { jobs: 'elsewhere', subgraphs: { swaps: 'ok' }, identityProvider: 'ok' } },
  });
});

test.each<[string, Partial<HealthDeps>, boolean]>([
  ['no worker runs', { jobs: () => Promise.resolve('down') }, true],
  ['the presence of a worker cannot be read', { jobs: () => Promise.reject(new TypeError('no table')) }, true],
  ['the identity provider does not respond', { identityProvider: () => Promise.resolve('down') }, true],
  ['the keys of the identity provider are old', { identityProvider: () => Promise.resolve('stale') }, true],
  ['one of its subgraphs does not respond', { subgraphs: () => Promise.resolve({ a: 'down', b: 'ok' }) }, true],
  ['no subgraph responds', { subgraphs: () => Promise.resolve({ a: 'down', b: 'down' }) }, false],
  ['one of its subgraphs refuses it', { subgraphs: () => Promise.resolve({ a: 'refused', b: 'ok' }) }, true],
  ['every subgraph refuses it', { subgraphs: () => Promise.resolve({ a: 'refused', b: 'refused' }) }, false],
  ['a node serves another chain', { nodes: [node('down', 'RPC_URL_BASE leads to a node of chain 1')] }, true],
])('a process is degraded when %s', async (_, changes, serving) => {
  expect(await report(changes)).toMatchObject({ serving, body: { status: 'degraded' } });
});

test('the report of a node of another chain has the sentence for the operator', async () => {
  const { body } = await report({ nodes: [node('down', 'RPC_URL_BASE leads to a node of chain 1')] });
  expect(body.checks['chains']).toMatchObject({ base: { reason: 'RPC_URL_BASE leads to a node of chain 1' } });
});

test('the report counts the strategies of each chain, and is degraded when these cannot be read', async () => {
  const chain = createChainTable(KNOWN_CHAINS).get(BASE);
  const refused = new Map([['x', 'no token']]);
  const known = {
    chain,
    reason: undefined,
    resolved: 3,
    refused,
    doubtful: new Set<string>(),
    waiting: new Set<string>(),
  };
  const ok = await report({ strategies: () => [{ ...known, status: 'ok' }] });
  expect(ok.body).toMatchObject({
    status: 'ok',
    checks: { strategies: { base: { status: 'ok', strategies: 3, refused: 1, waiting: 0 } } },
  });
  const waiting = new Set(['a', 'b']);
  const starting = await report({ strategies: () => [{ ...known, status: 'resolving', waiting }] });
  expect(starting.body).toMatchObject({ status: 'ok', checks: { strategies: { base: { waiting: 2 } } } });
  const reason = 'the chain does not respond';
  const down = await report({ strategies: () => [{ ...known, status: 'unavailable', reason }] });
  expect(down.body).toMatchObject({ status: 'degraded', checks: { strategies: { base: { reason } } } });
});

test('the report has every chain with a node, of each kind, and no other', async () => {
  const SOLANA = 1_151_111_081_099_710;
  const other = { ...node('ok'), serves: (chainId: number) => chainId === SOLANA };
  const { body } = await report({ nodes: [node('ok'), other] });
  expect(Object.keys(body.checks['chains'] as object).sort()).toEqual(['base', 'solana']);
});

test('readiness does not wait for the identity provider and the nodes of chains', async () => {
  const never = () => new Promise<never>(() => undefined);
  const slow = { identityProvider: never, nodes: [{ serves: () => true, health: never }] };
  expect(await health(slow).isReady()).toBe(true);
  expect(await health({ subgraphs: () => Promise.resolve({ a: 'down' }) }).isReady()).toBe(false);
});

test('requests share a check that is pending, however long it takes, and get the report before it for five seconds', async () => {
  jest.useFakeTimers();
  try {
    const identityProvider = jest.fn(() => new Promise<'ok'>((resolve) => setTimeout(() => resolve('ok'), 5000)));
    const { report: shared } = health({ identityProvider });
    const first = shared();
    await jest.advanceTimersByTimeAsync(4000);
    expect(shared()).toBe(first);
    await jest.advanceTimersByTimeAsync(1500);
    expect(shared()).toBe(first);
    await jest.advanceTimersByTimeAsync(1000);
    expect(shared()).toBe(first); // while the second check is pending
    expect(identityProvider).toHaveBeenCalledTimes(2);
    await jest.advanceTimersByTimeAsync(4000);
    expect(shared()).not.toBe(first);
    expect(identityProvider).toHaveBeenCalledTimes(2);
  } finally {
    jest.useRealTimers();
  }
});
