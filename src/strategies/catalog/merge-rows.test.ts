import { addressOf, rowOf } from '../../../test/strategies/scripted-catalog';
import { strategySchema } from '../../config/strategy-schema';
import { PROTOCOL_NAMES } from '../strategy-row';
import { mergeRows } from './merge-rows';
import { KNOWN_ROWS } from './rows/known-rows';

const ids = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id);

describe('the rows of a deployment', () => {
  it('follow the known ones, and replace the known one with the same id, in any case, at its place', () => {
    const known = [rowOf(1), rowOf(2), rowOf(3)];
    const paused = rowOf(2, { id: 'VAULT-2-Ethereum', paused: true });
    const { rows, problems } = mergeRows(known, [rowOf(9), paused]);
    expect(problems).toEqual([]);
    expect(ids(rows)).toEqual([rowOf(1).id, 'VAULT-2-Ethereum', rowOf(3).id, rowOf(9).id]);
    expect(rows[1]).toBe(paused);
  });

  it.each([
    ['an id twice', [rowOf(1), rowOf(2, { id: 'vault-1-ETHEREUM' })], 'have the name vault-1-ETHEREUM'],
    [
      'an alias that is an id',
      [rowOf(1), rowOf(2, { aliases: ['vault-1-ethereum'] })],
      'have the name vault-1-ethereum',
    ],
    ['an alias twice', [rowOf(1, { aliases: ['x'] }), rowOf(2, { aliases: ['X'] })], 'have the name X'],
    ['its own id as an alias', [rowOf(1, { aliases: [rowOf(1).id] })], 'has the name Vault-1-ethereum twice'],
    ['a market twice', [rowOf(1), rowOf(2, { market: addressOf(1) })], `have the same market ${addressOf(1)}`],
  ])('are refused with %s', (_, own, problem) => {
    const { problems } = mergeRows([], own);
    expect(problems).toEqual([expect.stringContaining(problem)]);
  });

  it('are refused with every problem at once', () => {
    const own = [rowOf(1), rowOf(1), rowOf(2, { aliases: ['a', 'A'] })];
    expect(mergeRows([], own).problems).toHaveLength(3);
  });

  it('may have the same market address on two chains, and two assets in one market', () => {
    const other = { id: 'other', chainId: 8453 };
    const asset = { id: 'asset', underlying: addressOf(77) };
    expect(mergeRows([rowOf(1)], [rowOf(1, other), rowOf(1, asset)]).problems).toEqual([]);
  });

  it.each([
    ['market', { market: addressOf(9) }],
    ['asset', { underlying: addressOf(9) }],
    ['chain', { chainId: 8453 }],
    ['protocol', { protocol: 'compound-v3' }],
  ] as const)('are refused with another %s under a known id, whose history is of the first one', (_, change) => {
    expect(mergeRows([rowOf(1)], [rowOf(1, change)]).problems).toEqual([
      'Strategy Vault-1-ethereum must keep the protocol, chain, market and asset of the known strategy.',
    ]);
  });

  it('replace the known one of their market, whose names stay valid', () => {
    const known = [rowOf(1, { aliases: ['old'] }), rowOf(2)];
    const { rows, problems } = mergeRows(known, [rowOf(1, { id: 'Mine', aliases: ['OLD'], paused: true })]);
    expect(problems).toEqual([]);
    expect(rows).toMatchObject([
      { id: 'Mine', aliases: ['OLD', 'Vault-1-ethereum'], paused: true },
      { id: 'Vault-2-ethereum' },
    ]);
  });

  it('are refused when one replaces a known row twice', () => {
    const { problems } = mergeRows([rowOf(1)], [rowOf(1, { paused: true }), rowOf(1, { isDefault: true })]);
    expect(problems.length).toBeGreaterThan(0);
  });
});

test('the known rows do not contradict each other, and STRATEGIES_FILE accepts each of them', () => {
  expect(mergeRows(KNOWN_ROWS, []).problems).toEqual([]);
  for (const row of KNOWN_ROWS) expect(strategySchema.parse(row)).toEqual(row);
});

test('STRATEGIES_FILE accepts all protocols', () => {
  expect(strategySchema.shape.protocol.options).toEqual(PROTOCOL_NAMES);
});
