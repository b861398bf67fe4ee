import { isFinished, TRANSITIONS } from './status-transitions';

describe('the status of an action', () => {
  it('changes in these ways and in no other', () => {
    const ways = Object.entries(TRANSITIONS).flatMap(([name, { from, to }]) =>
      from.map((start) => `${start} -> ${to} (${name})`),
    );
    expect(ways.sort()).toEqual([
      'FAILED -> PENDING (originSeenLate)',
      'FAILED -> REFUNDED (refunded)',
      'INITIAL -> FAILED (failedBeforeOrigin)',
      'INITIAL -> PENDING (originSeen)',
      'PENDING -> FAILED (failed)',
      'PENDING -> REFUNDED (refunded)',
      'PENDING -> SUCCESS (completed)',
    ]);
  });

  it.each([
    ['INITIAL', false],
    ['PENDING', false],
    ['SUCCESS', true],
    ['FAILED', true],
    ['REFUNDED', true],
  ] as const)('%s is final for its transactions: %s', (status, expected) => {
    expect(isFinished(status)).toBe(expected);
  });
});
