import { MAX_OPERATIONS_PER_BLOCK, operationFinder, searchable, type TransferSide } from './find-operation';
import type { AccountOperation } from './operation-logs';
import { blockFailure } from './read-transfers';

const [ACCOUNT, OTHER, ENTRY_POINT, TX] = ['0xa1', '0xa2', '0xe0', '0x11'];
const place = { number: 1n, hash: '0x22', parentHash: '0x23', time: new Date(0) };
const header = { ...place, evidence: { hasLogs: true, mayHaveTopic: true }, coins: [], batches: new Set<string>() };
const ended = (account: string, logIndex: number): AccountOperation => ({
  blockHash: place.hash,
  txHash: TX,
  logIndex,
  kind: 'userOperation',
  account,
  hash: `0x${String(logIndex)}`,
  contract: ENTRY_POINT,
});
const find = (isReceived: boolean, { operations, isOfOneWallet = false }: Read) =>
  operationFinder({ header, operations, batchStarts: [], isOfOneWallet })({
    txHash: TX,
    logIndex: 3,
    account: ACCOUNT,
    isReceived,
  })?.hash;
interface Read {
  readonly operations: readonly AccountOperation[];
  readonly isOfOneWallet?: boolean;
}

describe('the operation of received tokens', () => {
  it('is none when a user operation of another account ended before that of the account', () => {
    expect(find(true, { operations: [ended(OTHER, 5), ended(ACCOUNT, 9)] })).toBeUndefined();
    expect(find(false, { operations: [ended(OTHER, 5), ended(ACCOUNT, 9)] })).toBe('0x9');
  });

  it('is that of the account when no other ended after the tokens arrived', () => {
    expect(find(true, { operations: [ended(OTHER, 2), ended(ACCOUNT, 9), ended(OTHER, 11)] })).toBe('0x9');
  });

  it('is none where only the events of the wallet were read; sent tokens have theirs', () => {
    expect(find(true, { operations: [ended(ACCOUNT, 9)], isOfOneWallet: true })).toBeUndefined();
    expect(find(false, { operations: [ended(ACCOUNT, 9)], isOfOneWallet: true })).toBe('0x9');
  });
});

describe('the operation of a transfer', () => {
  it('is the nearest user operation behind it, otherwise the nearest of any kind, whatever the order of the events', () => {
    const module = { ...ended(ACCOUNT, 4), kind: 'safeModule', hash: undefined } as const;
    expect(find(false, { operations: [ended(ACCOUNT, 12), ended(ACCOUNT, 9), ended(ACCOUNT, 1), module] })).toBe('0x9');
    const safe = { ...ended(ACCOUNT, 7), kind: 'safe' } as const;
    expect(find(false, { operations: [{ ...safe, logIndex: 8, hash: '0x8' }, safe] })).toBe('0x7');
    expect(find(false, { operations: [ended(OTHER, 4), { ...ended(ACCOUNT, 5), txHash: '0x12' }] })).toBeUndefined();
  });

  it('is a batch when one began after the operation before', () => {
    const safes = [5, 9].map((logIndex) => ({ ...ended(ACCOUNT, logIndex), kind: 'safe' }) as const);
    const kinds = (start: number): readonly (string | undefined)[] => {
      const batchStarts = [{ blockHash: place.hash, txHash: TX, logIndex: start, account: ACCOUNT }];
      const search = operationFinder({ header, operations: safes, batchStarts });
      return [4, 8].map((logIndex) => search({ txHash: TX, logIndex, account: ACCOUNT, isReceived: false })?.kind);
    };
    expect([kinds(2), kinds(6), kinds(10)]).toEqual([
      ['safeBatch', 'safe'],
      ['safe', 'safeBatch'],
      ['safe', 'safe'],
    ]);
  });
});

/** Operations of one account and one bundle: what a contract emits to make a search slow. */
const flood = (count: number): readonly AccountOperation[] =>
  Array.from({ length: count }, (_, index) => ended(index % 2 === 0 ? ACCOUNT : OTHER, 2 * index + 1));

it('finds the operations of 20,000 transfers among 20,000 in a time that does not stop the worker', () => {
  const started = process.cpuUsage();
  const search = operationFinder({ header, operations: flood(20_000), batchStarts: [] });
  const side: TransferSide = { txHash: TX, logIndex: 0, account: ACCOUNT, isReceived: true };
  let found = 0;
  for (let index = 0; index < 20_000; index += 1) {
    if (search({ ...side, logIndex: 2 * index }) !== undefined) found += 1;
  }
  // Behind the tokens that are received before the operation of the other account, that one is between.
  expect(found).toBe(10_000);
  const { user, system } = process.cpuUsage(started);
  expect(user + system).toBeLessThan(2_000_000);
});

it('leaves the operations of a block out when there are more than in any real one, and the block is complete', () => {
  const block = { header, transfers: [], batchStarts: [] };
  const bounded = searchable({ ...block, operations: flood(MAX_OPERATIONS_PER_BLOCK) });
  expect([bounded.operations.length, bounded.leftOut]).toEqual([MAX_OPERATIONS_PER_BLOCK, 0]);
  const flooded = searchable({ ...block, operations: flood(MAX_OPERATIONS_PER_BLOCK + 1) });
  expect([flooded.operations, flooded.leftOut]).toEqual([[], MAX_OPERATIONS_PER_BLOCK + 1]);
  expect([blockFailure(bounded), blockFailure(flooded)]).toEqual([undefined, undefined]);
  const side = { txHash: TX, logIndex: 0, account: ACCOUNT, isReceived: false };
  expect(flooded.findOperation(side)).toBeUndefined();
});
