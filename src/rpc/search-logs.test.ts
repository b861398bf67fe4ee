import fc from 'fast-check';
import { BlockNotFoundError, type PublicClient, ResponseBodyTooLargeError } from 'viem';
import { blockAt, searchLogs } from './search-logs';

/** A chain with blocks of these times. The head is reported by another node, which is `ahead`. */
const chainOf = (timestamps: readonly bigint[], ahead = 0) => {
  const client = {
    getBlockNumber: () => Promise.resolve(BigInt(timestamps.length - 1 + ahead)),
    getBlock: ({ blockNumber }: { blockNumber: bigint }) => {
      const timestamp = timestamps[Number(blockNumber)];
      return timestamp === undefined
        ? Promise.reject(new BlockNotFoundError({ blockNumber }))
        : Promise.resolve({ timestamp });
    },
  } as unknown as PublicClient;
  return { request: <Result>(_: number, run: (own: PublicClient) => Promise<Result>) => run(client) };
};

const times = fc
  .array(fc.bigInt({ min: 0n, max: 5n }), { minLength: 1, maxLength: 60 })
  .map((steps) => steps.map((_, index) => steps.slice(0, index + 1).reduce((sum, step) => sum + step, 100n)));

describe('the search in a chain', () => {
  it('finds the last block at or before a time, even when the node lags behind', async () => {
    const ahead = fc.integer({ min: 0, max: 20 });
    await fc.assert(
      fc.asyncProperty(times, fc.bigInt({ min: 90n, max: 400n }), ahead, async (timestamps, timestamp, more) => {
        const found = await blockAt(chainOf(timestamps, more), { chainId: 1, timestamp });
        const last = timestamps.filter((time) => time <= timestamp).length - 1;
        expect(found).toBe(BigInt(Math.max(0, last)));
      }),
    );
  });

  it('searches every block once over several searches, in ranges that nodes allow', async () => {
    const numbers = fc.record({
      head: fc.integer({ min: 0, max: 60_000 }),
      start: fc.integer({ min: 0, max: 60_000 }),
      wanted: fc.integer({ min: 0, max: 60_000 }),
    });
    await fc.assert(
      fc.asyncProperty(numbers, async ({ head, start, wanted }) => {
        const chain = chainOf(Array.from({ length: head + 1 }, () => 0n));
        const ranges: { fromBlock: bigint; toBlock: bigint }[] = [];
        const find = (_: unknown, range: { fromBlock: bigint; toBlock: bigint }) => {
          ranges.push(range);
          const isIn = range.fromBlock <= BigInt(wanted) && BigInt(wanted) <= range.toBlock;
          return Promise.resolve(isIn ? wanted : undefined);
        };
        let next = BigInt(start);
        let found: number | undefined;
        while (found === undefined && next <= BigInt(head)) {
          ({ found, next } = await searchLogs(chain, { chainId: 1, fromBlock: next, find }));
        }
        expect(found).toBe(start <= wanted && wanted <= head ? wanted : undefined);
        expect(ranges.every(({ fromBlock, toBlock }) => fromBlock <= toBlock && toBlock - fromBlock < 2000n)).toBe(
          true,
        );
        expect(
          ranges.every(({ fromBlock }, index) => index === 0 || fromBlock === ranges[index - 1]!.toBlock + 1n),
        ).toBe(true);
      }),
      { numRuns: 40 },
    );
  });

  it('halves a range whose events are too many for one response, and still searches every block once', async () => {
    const head = 5000;
    const searched: number[] = [];
    const find = (_: unknown, { fromBlock, toBlock }: { fromBlock: bigint; toBlock: bigint }) => {
      const tooLarge = new ResponseBodyTooLargeError({ maxSize: 1, size: 2 });
      if (fromBlock <= 777n && 777n <= toBlock && toBlock > fromBlock) return Promise.reject(tooLarge);
      for (let block = fromBlock; block <= toBlock; block += 1n) searched.push(Number(block));
      return Promise.resolve(undefined);
    };
    const chain = chainOf(Array.from({ length: head + 1 }, () => 0n));
    let next = 0n;
    for (let searches = 0; next <= BigInt(head) && searches < 1000; searches += 1) {
      ({ next } = await searchLogs(chain, { chainId: 1, fromBlock: next, find }));
    }
    expect(searched).toEqual(Array.from({ length: head + 1 }, (_, block) => block));
  });

  it('fails when the events of one block are too many', async () => {
    const tooLarge = new ResponseBodyTooLargeError({ maxSize: 1, size: 2 });
    const search = { chainId: 1, fromBlock: 0n, find: () => Promise.reject(tooLarge) };
    await expect(searchLogs(chainOf([1n, 2n, 3n]), search)).rejects.toBe(tooLarge);
  });
});
