import { addressOf, ethereum, rowOf } from '../../../test/strategies/scripted-catalog';
import type { Strategy } from '../strategy';
import type { RowReading } from './resolve-rows';
import { isCertain, nextStates, type RowState } from './row-states';

const token = {
  chainId: 1,
  address: addressOf(1),
  symbol: 'TKN',
  name: 'Token',
  decimals: 6,
  logoURI: undefined,
} as const;
const strategy: Strategy = { row: rowOf(1), chain: ethereum, underlying: token, receipt: token, contracts: {} };
const resolved: RowReading = { kind: 'resolved', strategy };
const refused: RowReading = { kind: 'refused', reason: 'no contract' };
const unread: RowReading = { kind: 'unread' };
const now = () => BigInt(Math.floor(Date.now() / 1000));

/** The state of a row after some readings, each at a later block. */
const after = (readings: readonly RowReading[]): RowState =>
  readings.reduce<RowState>(
    (state, row) => nextStates([state], { rows: [row], block: { number: 9n, timestamp: now() } }, 9n)[0]!,
    { kind: 'unread' },
  );

describe('a strategy', () => {
  it('stays when one or two readings refuse it, and when it is found in between', () => {
    expect(after([resolved, refused, refused])).toMatchObject({ kind: 'resolved', strategy });
    expect(after([resolved, refused, refused, resolved, refused, refused])).toMatchObject({ kind: 'resolved' });
    expect(after([resolved, refused, unread, refused])).toMatchObject({ kind: 'resolved', refusals: 2 });
  });

  it('is refused after three readings in a row, and never as one that does not exist', () => {
    const state = after([resolved, ...Array.from({ length: 9 }, () => refused)]);
    expect(state).toMatchObject({ kind: 'refused', wasResolved: true });
    expect(state.kind === 'refused' && isCertain(state)).toBe(false);
    expect(after([resolved, refused, refused, refused])).toMatchObject({ kind: 'refused' });
  });

  it('that was never found does not exist after three readings', () => {
    const certain = [1, 2, 3].map((count) => {
      const state = after(Array.from({ length: count }, () => refused));
      return state.kind === 'refused' && isCertain(state);
    });
    expect(certain).toEqual([false, false, true]);
  });

  it.each([
    ['an earlier block than one before', { number: 8n, timestamp: now() }],
    ['a block of more than an hour ago', { number: 10n, timestamp: now() - 3700n }],
  ])('is not refused by %s', (_, block) => {
    let states: readonly RowState[] = [after([resolved])];
    for (let count = 0; count < 5; count += 1) states = nextStates(states, { rows: [refused], block }, 9n);
    expect(states).toMatchObject([{ kind: 'resolved' }]);
  });
});
