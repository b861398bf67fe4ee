import type { ChainBalances, TokenBalance } from '../balances/read-balances';
import { CLEAN } from '../balances/spam-score';
import { tokensToPrice } from './tokens-to-price';

const balance = (address: string, fields: Partial<TokenBalance> = {}): TokenBalance => ({
  chainId: 1,
  address,
  isNative: false,
  symbol: 'T',
  name: 'Token',
  decimals: 6,
  logoURI: undefined,
  isListed: false,
  isPinned: false,
  amount: 1n,
  humanized: '0.000001',
  problem: undefined,
  spam: CLEAN,
  ...fields,
});

const wallet = (tokens: readonly TokenBalance[]): readonly ChainBalances[] => [
  {
    chainId: 1,
    chain: 'one',
    asOf: { blockNumber: 7n, time: new Date() },
    isStale: false,
    ageSeconds: 0,
    error: undefined,
    isTruncated: false,
    tokens,
  },
];
const full = (name: string): readonly TokenBalance[] =>
  Array.from({ length: 600 }, (_, index) => balance(`${name}-${String(index)}`));

describe('the tokens whose prices a request reads', () => {
  it('are shared fairly: wallets with many tokens leave those of the last wallet their prices', () => {
    const last = [balance('a'), balance('b'), balance('listed', { isListed: true })];
    const many = ['1', '2', '3', '4', '5', '6'].map(full);
    const priced = [...tokensToPrice([...many, last].map(wallet)).keys()];
    expect(priced).toHaveLength(2000);
    expect(priced).toEqual(expect.arrayContaining(['1:a', '1:b', '1:listed']));
    for (const name of ['1', '6'])
      expect(priced.filter((id) => id.startsWith(`1:${name}-`)).length).toBeGreaterThan(330);
  });

  it('are at most 500 of a wallet, listed and pinned ones first', () => {
    const known = [balance('listed', { isListed: true }), balance('pinned', { isPinned: true })];
    const priced = [...tokensToPrice([wallet([...full('1'), ...known])]).keys()];
    expect(priced).toHaveLength(500);
    expect(priced.slice(0, 2)).toEqual(['1:listed', '1:pinned']);
  });

  it('are none without an amount or decimals', () => {
    expect(tokensToPrice([wallet([balance('a', { amount: 0n }), balance('b', { decimals: undefined })])]).size).toBe(0);
  });
});
