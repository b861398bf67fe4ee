import { findOperation } from './find-operation';
import type { AccountOperation } from './operation-logs';

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
  findOperation(
    { header, operations, batchStarts: [], isOfOneWallet },
    { txHash: TX, logIndex: 3, account: ACCOUNT, isReceived },
  )?.hash;
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
