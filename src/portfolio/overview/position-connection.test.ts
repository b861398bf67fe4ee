import fc from 'fast-check';
import { toMicroUsd } from '../../money/usd';
import { CLEAN } from '../balances/spam-score';
import { connectPositions } from './position-connection';
import { comparePositions } from './position-order';
import type { TokenPosition } from './wallet-tokens';

const position = (id: string, valueUsd?: bigint, kind: Partial<TokenPosition> = {}): TokenPosition => ({
  id,
  chainId: 1,
  address: id,
  isNative: false,
  isListed: false,
  isPinned: false,
  symbol: id,
  name: id,
  decimals: 6,
  logoURI: undefined,
  amount: 1n,
  humanized: '0.000001',
  spam: CLEAN,
  isHidden: false,
  price: undefined,
  missingPrice: undefined,
  valueUsd: valueUsd === undefined ? undefined : toMicroUsd(valueUsd),
  valueBrl: undefined,
  stale: false,
  asOf: new Date(0),
  ...kind,
});

describe('slices of positions', () => {
  it('have every position once, in the order of the whole list, whatever their size is', () => {
    const values = fc.array(fc.option(fc.bigInt({ min: 0n, max: 10n })), { maxLength: 30 });
    fc.assert(
      fc.property(values, fc.integer({ min: 1, max: 8 }), (given, first) => {
        const all = given.map((value, index) => position(`1:${index}`, value ?? undefined)).sort(comparePositions);
        const found: string[] = [];
        let after: string | null = null;
        for (;;) {
          const { edges, pageInfo, totalCount } = connectPositions(all, { first, after });
          expect(totalCount).toBe(all.length);
          expect(pageInfo.hasPreviousPage).toBe(after !== null);
          found.push(...edges.map(({ node }) => node.id));
          after = pageInfo.endCursor;
          if (!pageInfo.hasNextPage) break;
        }
        expect(found).toEqual(all.map(({ id }) => id));
      }),
    );
  });

  it('start with the most valuable, then native coins, pinned, listed and other tokens without a value', () => {
    const unsorted = [
      position('other'),
      position('listed', undefined, { isListed: true }),
      position('pinned', undefined, { isPinned: true }),
      position('native', undefined, { isNative: true, isListed: true }),
      position('cheap', 1n),
      position('dear', 2n),
    ];
    expect(unsorted.sort(comparePositions).map(({ id }) => id)).toEqual([
      ...['dear', 'cheap', 'native', 'pinned', 'listed', 'other'],
    ]);
  });

  it('continue behind a cursor whose position is gone', () => {
    const [a, b, c] = [position('a', 3n), position('b', 2n), position('c', 1n)];
    const { pageInfo } = connectPositions([a, b, c], { first: 2 });
    expect(connectPositions([a, c], { after: pageInfo.endCursor }).edges.map(({ node }) => node.id)).toEqual(['c']);
  });

  it.each([
    ['first', { first: 0 }],
    ['first', { first: 501 }],
    ['after', { after: 'nothing' }],
    ['after', { after: '' }],
    ['after', { after: Buffer.from('["-1",0,"a"]').toString('base64url') }],
    ['after', { after: 'A'.repeat(10_000) }],
  ])('refuse an invalid %s', (path, slice) => {
    expect(() => connectPositions([], slice)).toThrow(
      expect.objectContaining({
        code: 'VALIDATION_ERROR',
        details: { errors: [{ path, message: expect.any(String) }] },
      }),
    );
  });
});
