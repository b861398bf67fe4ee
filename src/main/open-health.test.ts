import { createChainTable } from '../chains/chain-table';
import { createProviderGuards } from '../venues/provider-guards';
import type { Infrastructure } from './infrastructure';
import { openHealth } from './open-health';

test('the report lists the configured providers alone', async () => {
  const node = { serves: () => false };
  const infrastructure = {
    config: { chains: { table: createChainTable([]), rpcUrls: new Map() }, INDEX_WALLETS: 'on' },
    pool: { query: () => Promise.resolve({ rows: [{ count: 0 }] }) },
    rpc: node,
    solana: node,
    bitcoin: node,
    providers: [{ id: 'across' }, { id: 'lifi' }, { id: 'secondary' }],
    unconfigured: new Set(['lifi', 'secondary']),
    guards: createProviderGuards(),
    strategies: { states: () => [] },
  } as unknown as Infrastructure;
  const { body } = await openHealth(infrastructure, { jobs: () => 'ok' }).report();
  expect(body.checks['providers']).toEqual({ across: 'registered' });
});
