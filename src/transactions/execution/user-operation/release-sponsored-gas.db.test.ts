import { randomUUID } from 'node:crypto';
import { getAddress } from 'viem';
import { newCustomer } from '../../../../test/actions/sample-action';
import { someChain } from '../../../../test/actions/sample-transfer';
import { gasBudgets } from '../../../../test/setup/gas';
import { createTestDatabase, type TestDatabase } from '../../../../test/setup/test-database';
import { nonceChains } from '../../../../test/smart-accounts/nonce-chains';
import { createChainTable } from '../../../chains/chain-table';
import { nonceKeyOf } from '../../action-nonce-key';
import { releaseSponsoredGas, type ReleaseDeps } from './release-sponsored-gas';

/** Blocks have a minute each: the newest final block is three minutes old. */
const CONFIRMATIONS = 3;
const CHAINS = [1, 2].map((chainId) => someChain(chainId, { confirmations: CONFIRMATIONS }));
const SENDER = getAddress(`0x${'ab'.repeat(20)}`);

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
beforeEach(() => test.database.gasSpending.deleteMany());
afterAll(() => test.drop());

/** Sponsors an operation that ends after some seconds, or ended some seconds ago. Returns the id of its action. */
async function sponsor(
  seconds: number,
  { id = randomUUID(), chainId = 1 }: { readonly id?: string; readonly chainId?: number } = {},
): Promise<string> {
  const validUntil = new Date(Date.now() + seconds * 1000);
  const operation = { sender: SENDER, nonceKey: nonceKeyOf(id), validUntil };
  const ids = { id, customerId: newCustomer(), actionId: id, chainId };
  const spending = { ...ids, kind: 'sponsored', cost: { wei: 1n, microUsd: 1n }, operation } as const;
  await test.database.$transaction((tx) => gasBudgets().take(tx, spending));
  return id;
}

const release = (rpc: ReleaseDeps['rpc'], log: ReleaseDeps['log'] = { warn: () => undefined }) =>
  releaseSponsoredGas({ ...test, rpc, chains: createChainTable(CHAINS), log }, new AbortController().signal);

async function stateOf(id: string): Promise<'counted' | 'released' | 'spent'> {
  const { releasedAt, spentAt } = await test.database.gasSpending.findUniqueOrThrow({ where: { id } });
  if (releasedAt !== null) return 'released';
  return spentAt === null ? 'counted' : 'spent';
}

describe('gas of an expired sponsored operation', () => {
  it('is released when the EntryPoint has an unused nonce, and spent when it has a used one', async () => {
    const [unused, used] = [await sponsor(-600), await sponsor(-600)];
    const blocks: unknown[] = [];
    const rpc = nonceChains({
      executions: (sender, key) => (sender === SENDER && key === nonceKeyOf(used) ? 1n : 0n),
      beforeRead: (block) => Promise.resolve(blocks.push(block)),
    });
    await release(rpc);
    expect([await stateOf(unused), await stateOf(used)]).toEqual(['released', 'spent']);
    await release(rpc);
    expect(blocks).toEqual([997n]); // decided operations are not read again
  });

  it('is counted until a final block is later than its expiry', async () => {
    const [early, late, open] = [await sponsor(-200), await sponsor(-160), await sponsor(60)];
    await release(nonceChains());
    expect([await stateOf(early), await stateOf(late), await stateOf(open)]).toEqual([
      'released',
      'counted',
      'counted',
    ]);
  });

  it('is counted on a chain that does not respond, which does not stop the others', async () => {
    const [down, up] = [await sponsor(-600, { chainId: 1 }), await sponsor(-600, { chainId: 2 })];
    const warn = jest.fn();
    await release(nonceChains({ down: [1] }), { warn });
    expect([await stateOf(down), await stateOf(up)]).toEqual(['counted', 'released']);
    expect(warn.mock.calls).toEqual([[expect.objectContaining({ chainId: 1 }), expect.any(String)]]);
  });

  it('is counted when its nonce cannot be read', async () => {
    const id = await sponsor(-600);
    await release(nonceChains({ executions: () => undefined }));
    expect(await stateOf(id)).toBe('counted');
  });

  it('is counted when an operation of the same action that ends later is signed meanwhile', async () => {
    const id = await sponsor(-600);
    await release(nonceChains({ beforeRead: () => sponsor(300, { id }) }));
    expect(await stateOf(id)).toBe('counted');
  });

  it('is released for many operations in a bounded number of reads', async () => {
    await sponsor(-600);
    await test.database.$executeRaw`
      INSERT INTO "GasSpending" (id, "customerId", "actionId", "chainId", kind, wei, sender, "nonceKey", "validUntil")
      SELECT gen_random_uuid(), "customerId", "actionId", "chainId", kind, wei, sender, n, "validUntil"
        FROM "GasSpending", generate_series(1, 2400) AS n`;
    let reads = 0;
    const rpc = nonceChains({ beforeRead: () => Promise.resolve((reads += 1)) });
    await release(rpc);
    expect(await test.database.gasSpending.count({ where: { releasedAt: null } })).toBe(401);
    await release(rpc);
    expect(await test.database.gasSpending.count({ where: { releasedAt: null } })).toBe(0);
    expect(reads).toBe(7);
  });

  it('is never released when its account is unknown, as in records of former versions', async () => {
    const id = await sponsor(-600);
    await test.database.gasSpending.update({ where: { id }, data: { sender: null, nonceKey: null } });
    await release(nonceChains());
    expect(await stateOf(id)).toBe('counted');
  });
});
