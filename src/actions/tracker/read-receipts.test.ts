import type { PublicClient } from 'viem';
import { ROUTER } from '../../../test/actions/sample-action';
import type { MatchedTransaction } from './match-transactions';
import { readReceipts } from './read-receipts';

const BLOCK = { number: 1n, hash: '0x0b', timestamp: 0n };
const mined = (hash: string) => ({ transaction: { hash, to: ROUTER }, block: BLOCK }) as unknown as MatchedTransaction;

describe('the receipts of found transactions', () => {
  it('are kept without their logs', async () => {
    const log = { address: ROUTER, topics: [], data: `0x${'00'.repeat(100_000)}`, logIndex: '0x0' };
    const client = {
      request: ({ params: [transactionHash] }: { params: readonly string[] }) =>
        Promise.resolve({ transactionHash, blockHash: BLOCK.hash, status: '0x1', logs: [log] }),
    } as unknown as PublicClient;
    const receipts = await readReceipts(client, [mined('0x01'), mined('0x02')]);
    expect([...(receipts?.read.values() ?? [])]).toEqual([
      { succeeded: true, operations: [], isExecutedBySafe: false },
      { succeeded: true, operations: [], isExecutedBySafe: false },
    ]);
  });
});
