import type { Hex } from 'viem';
import { quarantine } from '../../src/actions/state/quarantine';
import { createHealthCheck } from '../../src/main/health';
import { createChainTable } from '../../src/chains/chain-table';
import { createProviderGuards } from '../../src/venues/provider-guards';
import { ROUTER } from '../actions/sample-action';
import { openScriptedTracker, type ScriptedTracker, TOKEN } from '../actions/scripted-tracker';

let tracker: ScriptedTracker;
beforeEach(async () => {
  tracker = await openScriptedTracker({ maxResponseBytes: undefined });
});
afterEach(() => tracker.stop());

const health = async () => {
  const chains = { table: createChainTable([]), rpcUrls: new Map<number, string>() };
  const check = createHealthCheck({
    pool: tracker.test.pool,
    nodes: [],
    chains,
    jobs: () => 'elsewhere',
    isIndexed: () => true,
    version: '1',
    providers: [],
    guards: createProviderGuards(),
  });
  const { serving, body } = await check.report();
  return { serving, status: body.status, checks: body.checks };
};

describe('a chain with a block of 20 MB, a slow node and a receipt that the node cannot show', () => {
  it('goes on, and health counts one item in quarantine', async () => {
    const [poisoned, sound, late] = [
      await tracker.swapAndTransaction(),
      await tracker.swapAndTransaction(),
      await tracker.swapAndTransaction(),
    ];
    await tracker.pass();
    expect(await health()).toMatchObject({ status: 'ok', checks: { quarantined: 0 } });
    const input: Hex = `0x${'ab'.repeat(100_000)}`;
    const foreign = { from: ROUTER, to: TOKEN, input };
    const large = Array.from({ length: 100 }, () => foreign);
    const hashes = tracker.node.mine(...large, poisoned.transaction, sound.transaction);
    tracker.node.mine(late.transaction);
    tracker.node.delayMs = 100;
    tracker.node.intercept = ({ method, params: [hash] }) =>
      method === 'eth_getTransactionReceipt' && hash === hashes[100]
        ? { error: { code: -32000, message: 'corrupt' } }
        : undefined;
    expect(await tracker.pass()).toBe('caughtUp');
    const statuses = [poisoned, sound, late].map(({ id }) => tracker.statusOf(id));
    expect([await tracker.cursor(), ...(await Promise.all(statuses))]).toEqual([2n, 'INITIAL', 'SUCCESS', 'PENDING']);
    expect(await health()).toMatchObject({ serving: true, status: 'degraded', checks: { quarantined: 1 } });
  });
});

describe('health', () => {
  it('counts an item once, however often it was tried', async () => {
    const item = { chainId: 1, stage: 'transaction', item: '0x01' } as const;
    for (let attempt = 0; attempt < 3; attempt += 1)
      await quarantine(tracker.test.database, item, new TypeError('unreadable'));
    expect(await health()).toMatchObject({ checks: { quarantined: 1 } });
  });
});
