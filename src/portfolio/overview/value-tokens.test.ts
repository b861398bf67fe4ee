import fc from 'fast-check';
import { formatUsd, parseUsd, toUsdPrice } from '../../money/usd';
import { serviceError } from '../../errors/service-error';
import type { PriceResult } from '../../prices/token-price';
import type { ChainBalances, TokenBalance } from '../balances/read-balances';
import { CLEAN } from '../balances/spam-score';
import { positionId, valueTokens } from './value-tokens';

const TIME = new Date('2026-03-01T12:00:00.000Z');
const SPAM = { score: 60, isSpam: true, reasons: ['URL'] } as const;

const balance = (fields: Partial<TokenBalance>): TokenBalance => ({
  chainId: 1,
  address: '0xA',
  isNative: false,
  symbol: 'T',
  name: 'Token',
  decimals: 6,
  logoURI: undefined,
  isListed: true,
  isPinned: false,
  amount: 1_000_000n,
  humanized: '1',
  problem: undefined,
  spam: CLEAN,
  ...fields,
});

const section = (tokens: readonly TokenBalance[], fields: Partial<ChainBalances> = {}): ChainBalances => ({
  chainId: 1,
  chain: 'one',
  asOf: { blockNumber: 7n, time: TIME },
  isStale: false,
  ageSeconds: 0,
  error: undefined,
  isTruncated: false,
  tokens,
  ...fields,
});

const priced = (usdE24: bigint): PriceResult => ({
  price: {
    usdE24: toUsdPrice(usdE24)!,
    source: 'pool',
    asOf: TIME,
    confidenceBps: 9000,
    kind: 'spot',
    flags: [],
    isConfirmed: true,
  },
});

const E24 = 10n ** 24n;
const real = toUsdPrice(E24 / 5n)!;
const prices = (...results: readonly (readonly [TokenBalance, PriceResult])[]) => ({
  byId: new Map(results.map(([token, result]) => [positionId(token), result])),
  real,
});

describe('the tokens of a wallet', () => {
  it('have a total that equals the sum of what is shown, to the millionth of a dollar and of a real', () => {
    const token = fc.record({
      amount: fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
      decimals: fc.integer({ min: 0, max: 36 }),
      price: fc.option(fc.bigInt({ min: 1n, max: 10n ** 36n })),
      isSpam: fc.boolean(),
      isPinned: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(fc.array(token, { maxLength: 12 }), { maxLength: 4 }), (chains) => {
        const sections = chains.map((tokens, chainId) => {
          const balances = tokens.map(({ amount, decimals, isSpam, isPinned }, index) =>
            balance({ chainId, address: String(index), amount, decimals, isPinned, spam: isSpam ? SPAM : CLEAN }),
          );
          return section(balances, { chainId });
        });
        const results = chains.flatMap((tokens, chainId) =>
          tokens.flatMap(({ price }, index) =>
            price === null ? [] : [[balance({ chainId, address: String(index) }), priced(price)] as const],
          ),
        );
        const { positions, totalUsd, totalBrl } = valueTokens(sections, prices(...results));
        const shown = positions.filter(({ isHidden }) => !isHidden);
        // As a client adds them up: from the texts of the response.
        const values = shown.map(({ valueUsd }): bigint =>
          valueUsd === undefined ? 0n : parseUsd(formatUsd(valueUsd))!,
        );
        expect(values.reduce((sum, value) => sum + value, 0n)).toBe(totalUsd);
        expect(shown.reduce((sum, { valueBrl }) => sum + (valueBrl ?? 0n), 0n)).toBe(totalBrl);
        expect(positions.filter(({ isHidden, valueUsd }) => isHidden && valueUsd !== undefined)).toEqual([]);
        expect(positions).toHaveLength(chains.flat().filter(({ amount }) => amount > 0n).length);
      }),
      { numRuns: 300 },
    );
  });

  it('have the value of their amount at the price, rounded down, in dollars and in reais', () => {
    const token = balance({ amount: 1_999_999n });
    const { positions, totalUsd, totalBrl } = valueTokens([section([token])], prices([token, priced(E24 / 3n)]));
    expect(positions[0]).toMatchObject({ id: '1:0xA', valueUsd: 666_666n, valueBrl: 3_333_330n });
    expect([totalUsd, totalBrl]).toEqual([666_666n, 3_333_330n]);
  });

  it('have different ids for SOL and wrapped SOL, which have one address', () => {
    const address = 'So11111111111111111111111111111111111111112';
    const sol = [balance({ address, isNative: true }), balance({ address })];
    const ids = valueTokens([section(sol)], prices()).positions.map(({ id }) => id);
    expect(ids).toEqual(['1:native', `1:${address}`]);
  });

  it('have no value without a price, and their total leaves them out', () => {
    const [one, other] = [balance({}), balance({ address: '0xB' })];
    const missing = { missing: 'SOURCES_DISAGREE' } as const;
    const { positions, totalUsd } = valueTokens([section([one, other])], prices([one, missing], [other, priced(E24)]));
    expect(positions.map(({ address, valueUsd }) => [address, valueUsd])).toEqual([
      ['0xB', 1_000_000n],
      ['0xA', undefined],
    ]);
    expect(positions[1]).toMatchObject({ missingPrice: 'SOURCES_DISAGREE', price: undefined });
    expect(totalUsd).toBe(1_000_000n);
  });

  it('are named in the errors when they are listed or pinned and the total lacks them', () => {
    const [one, other, unread] = [balance({}), balance({ address: '0xB' }), balance({ address: '0xD' })];
    const pinned = balance({ address: '0xC', isListed: false, isPinned: true, spam: SPAM });
    const unlisted = balance({ address: '0xE', isListed: false });
    const missing = { missing: 'SOURCES_DISAGREE' } as const;
    const given = prices([one, missing], [other, priced(E24)], [pinned, missing], [unlisted, missing]);
    const { errors } = valueTokens([section([one, other, pinned, unread, unlisted])], given);
    expect(errors).toHaveLength(3);
    expect(errors).toEqual(
      expect.arrayContaining([
        { code: 'PRICE_MISSING', message: expect.stringContaining('T on one'), chainId: 1, address: '0xA' },
        { code: 'PRICE_MISSING', message: expect.stringContaining('T on one'), chainId: 1, address: '0xC' },
        { code: 'PRICE_NOT_REQUESTED', message: expect.stringContaining('T on one'), chainId: 1, address: '0xD' },
      ]),
    );
  });

  it('have no value that no wallet can have: a price of a token with an absurd supply does not spoil the total', () => {
    const [absurd, token] = [balance({ amount: 2n ** 255n, decimals: 0 }), balance({ address: '0xB' })];
    const { totalUsd } = valueTokens([section([absurd, token])], prices([absurd, priced(E24)], [token, priced(E24)]));
    expect(totalUsd).toBe(1_000_000n);
  });

  it('count spam only when the customer has pinned it', () => {
    const [spam, pinned] = [balance({ spam: SPAM }), balance({ address: '0xB', spam: SPAM, isPinned: true })];
    const both = prices([spam, priced(E24)], [pinned, priced(E24)]);
    const { positions, totalUsd } = valueTokens([section([spam, pinned])], both);
    expect(positions.map(({ isHidden, price }) => [isHidden, price === undefined])).toEqual([
      [false, false],
      [true, true],
    ]);
    expect(totalUsd).toBe(1_000_000n);
  });

  it('have no total in reais without a price of the real', () => {
    const token = balance({});
    const { byId } = prices([token, priced(E24)]);
    const { positions, totalBrl } = valueTokens([section([token])], { byId, real: undefined });
    expect([positions[0]!.valueBrl, totalBrl]).toEqual([undefined, undefined]);
  });

  it('are the last known ones where a chain is down, and complete on the others', () => {
    const error = serviceError('PROVIDER_UNAVAILABLE', { provider: 'two RPC', reason: 'down' });
    const earlier = new Date('2026-03-01T11:00:00.000Z');
    const old = { chainId: 2, error, isStale: true, asOf: { blockNumber: 1n, time: earlier } };
    const sections = [section([balance({})]), section([balance({ chainId: 2 })], old)];
    const both = sections.flatMap(({ tokens }) => tokens.map((token) => [token, priced(E24)] as const));
    const result = valueTokens(sections, prices(...both));
    expect(result.positions.map(({ id, stale, asOf }) => [id, stale, asOf])).toEqual([
      ['1:0xA', false, TIME],
      ['2:0xA', true, earlier],
    ]);
    expect(result).toMatchObject({ stalePositions: 1, oldestAsOf: earlier });
    expect(result.errors).toEqual([
      { code: 'PROVIDER_UNAVAILABLE', message: error.message, chainId: 2, address: undefined },
    ]);
  });

  it('name each token whose balance is missing, but not spam, and at most a hundred', () => {
    const unread = balance({ amount: undefined, humanized: undefined, problem: 'REVERTED' });
    const spam = { ...unread, address: '0xC', spam: SPAM };
    const { positions, errors } = valueTokens([section([unread, spam])], prices());
    expect(positions).toEqual([]);
    expect(errors).toEqual([
      { code: 'BALANCE_REVERTED', message: expect.stringContaining('T on one'), chainId: 1, address: '0xA' },
    ]);
    const many = Array.from({ length: 300 }, (_, index) => ({ ...unread, address: String(index) }));
    expect(valueTokens([section(many)], prices()).errors).toHaveLength(100);
  });

  it('of a wallet with nothing are none, with a total of 0 and no time', () => {
    const native = balance({ isNative: true, amount: 0n });
    expect(valueTokens([section([native])], prices())).toEqual({
      positions: [],
      totalUsd: 0n,
      totalBrl: 0n,
      stalePositions: 0,
      oldestAsOf: undefined,
      errors: [],
      isTruncated: false,
    });
  });
});
