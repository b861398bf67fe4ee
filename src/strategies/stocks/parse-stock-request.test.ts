import { RECEIPT, sampleStrategy, UNDERLYING, WALLET } from '../../../test/strategies/sample-strategy';
import { chains } from '../../../test/swaps/swap-world';
import { parseStockRequest } from './parse-stock-request';

const strategy = sampleStrategy('tokenized-stock');
const deps = { chains, webhookUrls: { allowLoopback: false } };
const parse = (fields: object, own = strategy) => parseStockRequest(deps, own, { wallet: WALLET, ...fields });
const now = () => Math.trunc(Date.now() / 1000);

/** Names of the parameters that are reported. */
function problemsOf(fields: object, own = strategy): readonly string[] {
  try {
    parse(fields, own);
    return [];
  } catch (error) {
    const { code, details } = error as { code: string; details: { errors: { path: string }[] } };
    return [code, ...details.errors.map(({ path }) => path)];
  }
}

it('reads an order that buys for dollars, at the price of the market unless it has a limit', () => {
  const buy = { action: 'request-lend', amount: '1000' };
  expect(parse(buy)).toMatchObject({ side: 'BUY', amount: { kind: 'dollars', dollars: 1000n }, recipient: WALLET });
  expect(parse(buy)).toMatchObject({ limitCents: undefined, expireAt: undefined });
  const expireAt = now() + 3600;
  expect(parse({ ...buy, priceInUsd: 20_000, expireAt })).toMatchObject({ limitCents: 20_000n, expireAt });
  expect(parse({ ...buy, expireAt })).toMatchObject({ limitCents: undefined, expireAt });
});

it('reads an order that sells dollars worth of tokens, tokens, or all of them', () => {
  const sell = { action: 'request-withdraw' };
  expect(parse({ ...sell, amount: '5' }).amount).toEqual({ kind: 'dollars', dollars: 5n });
  expect(parse({ ...sell, amountInShares: '7' }).amount).toEqual({ kind: 'tokens', tokens: 7n });
  expect(parse({ ...sell, amount: 'MAX' }).amount).toEqual({ kind: 'all' });
});

it.each([
  [{ action: 'lend', amount: '1' }, ['action']],
  [{ amount: '1' }, ['action']],
  [{ action: 'request-lend' }, ['amount']],
  [{ action: 'request-lend', amount: 'max' }, ['amount']],
  [{ action: 'request-lend', amountInShares: '1' }, ['amountInShares']],
  [{ action: 'request-lend', amount: '0' }, ['amount']],
  [{ action: 'request-withdraw', amount: '1', amountInShares: '1' }, ['amountInShares']],
  [{ action: 'request-lend', amount: '1', wallet: undefined }, ['wallet']],
  [{ action: 'request-lend', amount: '1', wallet: '0x12' }, ['wallet']],
  [{ action: 'request-lend', amount: '1', priceInUsd: 0 }, ['priceInUsd']],
  [{ action: 'request-lend', amount: '1', priceInUsd: 100_000_001 }, ['priceInUsd']],
  [{ action: 'request-lend', amount: '1', priceInUsd: 1.5 }, ['priceInUsd']],
  [{ action: 'request-lend', amount: '1', expireAt: 1 }, ['expireAt']],
  [{ action: 'request-lend', amount: '1', actionId: '01935b7e-0000-7000-8000-000000000001' }, ['actionId']],
  [{ action: 'request-lend', amount: '1', slippage: '0.01' }, ['slippage']],
  [
    { action: 'request-lend', amount: '1', fromTokenAddress: WALLET, toChainId: '1' },
    ['fromTokenAddress', 'toChainId'],
  ],
  [{ action: 'request-lend', amount: '1', output: 'instructions' }, ['output']],
])('reports every malformed parameter of %j', (fields, paths) => {
  expect(problemsOf(fields)).toEqual(['VALIDATION_ERROR', ...paths]);
});

it('may repeat the chain of the stock, and the dollars of its own side', () => {
  const own = { fromChainId: '31337', chainIdIn: 'devnet', toChainId: 'devnet' };
  const [buy, sell] = [
    { action: 'request-lend', amount: '1', ...own },
    { action: 'request-withdraw', amount: '1', ...own },
  ];
  expect(problemsOf({ ...buy, fromTokenAddress: UNDERLYING })).toEqual([]);
  expect(problemsOf({ ...sell, toTokenAddress: UNDERLYING })).toEqual([]);
  for (const foreign of [UNDERLYING, RECEIPT]) {
    expect(problemsOf({ ...buy, toTokenAddress: foreign })).toEqual(['VALIDATION_ERROR', 'toTokenAddress']);
    expect(problemsOf({ ...sell, fromTokenAddress: foreign })).toEqual(['VALIDATION_ERROR', 'fromTokenAddress']);
  }
  expect(problemsOf({ ...buy, fromTokenAddress: RECEIPT })).toEqual(['VALIDATION_ERROR', 'fromTokenAddress']);
  expect(problemsOf({ ...buy, fromChainId: 'base', chainIdIn: '' })).toEqual(['VALIDATION_ERROR', 'fromChainId']);
});

it('bounds the expiry to between 5 minutes and 30 days ahead', () => {
  const order = { action: 'request-lend', amount: '1' };
  expect(problemsOf({ ...order, expireAt: now() + 200 })).toEqual(['VALIDATION_ERROR', 'expireAt']);
  expect(problemsOf({ ...order, expireAt: now() + 31 * 86_400 })).toEqual(['VALIDATION_ERROR', 'expireAt']);
  expect(problemsOf({ ...order, expireAt: now() + 29 * 86_400 })).toEqual([]);
});

it('only sells a stock that the deployment has paused', () => {
  const paused = { ...strategy, row: { ...strategy.row, paused: true } };
  expect(problemsOf({ action: 'request-lend', amount: '1' }, paused)).toEqual(['VALIDATION_ERROR', 'action']);
  expect(problemsOf({ action: 'request-withdraw', amount: '1' }, paused)).toEqual([]);
});
