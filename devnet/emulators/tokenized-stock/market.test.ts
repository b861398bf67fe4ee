import { newMarket, refusalOf, sessionOf } from './market';

const at = (clock: string | null, holidays: readonly string[] = []) => sessionOf({ clock, holidays });

it.each([
  ['2026-07-15T13:31:00Z', 'regular'],
  ['2026-07-15T13:30:00Z', undefined],
  ['2026-07-15T19:59:00Z', 'regular'],
  ['2026-07-15T20:00:00Z', undefined],
  ['2026-07-15T20:01:00Z', 'postmarket'],
  ['2026-07-15T08:01:00Z', 'premarket'],
  ['2026-07-16T00:05:00Z', 'overnight'],
  ['2026-07-15T07:00:00Z', 'overnight'],
  // New York's winter time.
  ['2026-01-15T14:31:00Z', 'regular'],
  ['2026-01-15T13:31:00Z', 'premarket'],
  // The week ends on Friday evening and begins on Sunday evening.
  ['2026-07-18T00:10:00Z', undefined],
  ['2026-07-18T15:00:00Z', undefined],
  ['2026-07-19T15:00:00Z', undefined],
  ['2026-07-20T00:10:00Z', 'overnight'],
])('at %s the session of the exchange is %s', (clock, session) => expect(at(clock)).toBe(session));

it('is open around the clock unless its clock is set, and closed on holidays', () => {
  expect(at(null)).toBe('regular');
  expect(at('2026-12-25T15:00:00Z', ['2026-12-25'])).toBeUndefined();
});

it('refuses with the code of its halt; a stock that is redeem-only can still be sold', () => {
  const market = { ...newMarket(), halt: 'ASSET_REDEEM_ONLY' as const };
  expect([refusalOf(market, 'BUY'), refusalOf(market, 'SELL')]).toEqual(['ASSET_REDEEM_ONLY', undefined]);
  expect(refusalOf({ ...newMarket(), halt: 'ASSET_PAUSED' }, 'SELL')).toBe('ASSET_PAUSED');
  expect(refusalOf({ ...newMarket(), clock: '2026-07-18T15:00:00Z' }, 'SELL')).toBe('MARKET_CLOSED');
});
