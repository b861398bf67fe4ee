import type { PublicClient } from 'viem';
import { createHeadReader } from './head-reader';

const HASH = `0x${'ab'.repeat(32)}`;

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

function readerOf(respond: (count: number) => unknown, maxAgeMs = 1000) {
  let count = 0;
  const request = () => Promise.resolve(respond((count += 1)));
  const heads = createHeadReader({ rpc: { client: () => ({ request }) as unknown as PublicClient }, maxAgeMs });
  return { heads, requests: () => count };
}

test('trackers and ledger of a chain share one read of its head', async () => {
  const { heads, requests } = readerOf((count) => ({ number: `0x${count.toString(16)}`, hash: HASH }));
  const [first, second] = await Promise.all([heads.read(1), heads.read(1)]);
  expect(first).toEqual({ number: 1n, hash: HASH });
  expect(second).toBe(first);
  expect(await heads.read(1)).toBe(first);
  expect(requests()).toBe(1);
  expect((await heads.read(2)).number).toBe(2n);
});

test('a head is read again once it is older than the interval', async () => {
  const { heads } = readerOf((count) => ({ number: `0x${count.toString(16)}`, hash: HASH }));
  expect((await heads.read(1)).number).toBe(1n);
  jest.advanceTimersByTime(999);
  expect((await heads.read(1)).number).toBe(1n);
  jest.advanceTimersByTime(1);
  expect((await heads.read(1)).number).toBe(2n);
});

test.each([null, { number: '0x', hash: HASH }, { number: '7', hash: HASH }, { number: '0x7', hash: '0x1' }])(
  'a node without a usable head is a failure, and the next reader requests it again: %j',
  async (response) => {
    const { heads, requests } = readerOf(() => response);
    await expect(heads.read(1)).rejects.toThrow();
    await expect(heads.read(1)).rejects.toThrow();
    expect(requests()).toBe(2);
  },
);

test('the latest head is that of the last successful read, and only while the chain is followed', async () => {
  const { heads } = readerOf((count) => (count === 2 ? null : { number: `0x${count.toString(16)}`, hash: HASH }), 0);
  expect(heads.latest(1)).toBeUndefined();
  await heads.read(1);
  await expect(heads.read(1)).rejects.toThrow();
  expect(heads.latest(1)?.number).toBe(1n);
  expect(heads.latest(2)).toBeUndefined();
  jest.advanceTimersByTime(60_000);
  expect(heads.latest(1)).toBeUndefined();
});
