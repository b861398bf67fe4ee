import { decodeSnapshot, encodeSnapshot } from './snapshot-text';

describe('the text of a snapshot', () => {
  it('restores bigints of any size, times, and texts that look like numbers', () => {
    const value = {
      amount: 2n ** 256n - 1n,
      loss: -1n,
      at: new Date(1_700_000_000_123),
      list: [0n, '0', 0, null, { nested: 5n, text: '2026-01-01T00:00:00.000Z' }],
    };
    expect(decodeSnapshot(encodeSnapshot(value))).toEqual(value);
  });

  it('leaves out what has no value', () => {
    expect(decodeSnapshot(encodeSnapshot({ a: undefined, b: 1 }))).toEqual({ b: 1 });
  });
});
