import { usdPrice } from '../../../test/setup/usd';
import type { ChainBalances, TokenBalance } from '../../portfolio/balances/read-balances';
import { CLEAN } from '../../portfolio/balances/spam-score';
import type { TokenPriceReader } from '../../prices/token-price';
import { addUp, valued } from './read-holdings';

const balance = (fields: Partial<TokenBalance>): TokenBalance => ({
  chainId: 1,
  address: 'So11111111111111111111111111111111111111112',
  isNative: false,
  symbol: 'T',
  name: 'Token',
  decimals: 9,
  logoURI: undefined,
  isListed: true,
  isPinned: false,
  amount: 1n,
  humanized: '0.000000001',
  problem: undefined,
  spam: CLEAN,
  ...fields,
});
const section = (tokens: readonly TokenBalance[]): ChainBalances => ({
  chainId: 1,
  chain: 'one',
  asOf: { blockNumber: 7n, time: new Date() },
  isStale: false,
  ageSeconds: 0,
  error: undefined,
  isTruncated: false,
  tokens,
});
const observed = {
  source: 'test',
  asOf: new Date(),
  confidenceBps: 10_000,
  kind: 'spot',
  flags: [],
  isConfirmed: true,
} as const;
/** Every token is worth two dollars. */
const tokenPrices: TokenPriceReader = {
  read: (tokens) => Promise.resolve(tokens.map(() => ({ price: { usdE24: usdPrice('2'), ...observed } }))),
};

describe('the tokens that wallets of a customer hold', () => {
  it('are apart for SOL and wrapped SOL, which have one address, and name a wallet once in each', () => {
    const tokens = [balance({ symbol: 'SOL', isNative: true, amount: 3n }), balance({ symbol: 'WSOL', amount: 5n })];
    const held = addUp([{ address: 'ana', chains: [section(tokens)] }]);
    expect([...held.values()].map(({ token, wallets }) => [token.symbol, wallets])).toEqual([
      ['SOL', [{ address: 'ana', amount: 3n }]],
      ['WSOL', [{ address: 'ana', amount: 5n }]],
    ]);
  });

  it('have no value that no wallet can have', async () => {
    const tokens = [balance({ address: 'absurd', amount: 2n ** 255n, decimals: 0 }), balance({ amount: 10n ** 9n })];
    const holdings = await valued({ tokenPrices }, addUp([{ address: 'ana', chains: [section(tokens)] }]));
    expect(holdings.map(({ totalUsd }) => totalUsd)).toEqual([2_000_000n, undefined]);
  });
});
