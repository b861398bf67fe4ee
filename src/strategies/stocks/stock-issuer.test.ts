import { UpstreamError } from '../../http/upstream-error';
import { OTHER, sampleStrategy } from '../../../test/strategies/sample-strategy';
import { createStockIssuer } from './stock-issuer';

const strategy = sampleStrategy('tokenized-stock');
const signal = new AbortController().signal;
const trade = { strategy, side: 'BUY' as const, amount: { dollars: 1_500_000_000_000_000_000n } };
const quote = {
  chainId: '31337',
  assetAddress: strategy.row.market.toLowerCase(),
  side: '0',
  tokenAmount: '7500000000000000',
  price: '200000000000000000000',
};

const issuerOf = (respond: (path: string, body: unknown) => unknown) =>
  createStockIssuer({ post: (path, body) => Promise.resolve().then(() => respond(path, body)) });
const refusing = (body: unknown, status = 403) =>
  issuerOf(() => {
    throw new UpstreamError('it responded', { kind: 'status', status, body });
  });

it('requests the price of dollars or tokens in the words of the issuer', async () => {
  const requests: unknown[] = [];
  const issuer = issuerOf((...request) => {
    requests.push(request);
    return { ...quote, side: requests.length === 1 ? '0' : '1' };
  });
  expect(await issuer.softPrice(trade, signal)).toBe(200n * 10n ** 18n);
  await issuer.attestedPrice({ strategy, side: 'SELL', amount: { tokens: 25n * 10n ** 17n } }, signal);
  const own = { chainId: 'sample-31337', symbol: 'rUSDC', duration: 'short' };
  expect(requests).toEqual([
    ['/v1/attestations/soft', { ...own, side: 'buy', notionalValue: '1.5' }],
    ['/v1/attestations', { ...own, side: 'sell', tokenAmount: '2.5' }],
  ]);
});

it.each([
  [1, 'ethereum', 'ethereum-1'],
  [1, 'mainnet', 'ethereum-1'],
  [56, 'bsc', 'bsc-56'],
])('names chain %s (%s) as the issuer does: %s', async (chainId, slug, name) => {
  const bodies: unknown[] = [];
  const issuer = issuerOf((_, body) => {
    bodies.push(body);
    return { ...quote, chainId: String(chainId) };
  });
  const onChain = { ...strategy, chain: { ...strategy.chain, chainId, slug } };
  await issuer.softPrice({ ...trade, strategy: onChain }, signal);
  expect(bodies).toEqual([expect.objectContaining({ chainId: name })]);
});

it.each([
  ['of another token', { ...quote, assetAddress: OTHER }],
  ['of the other side', { ...quote, side: '1' }],
  ['of another chain', { ...quote, chainId: '1' }],
  ['of nothing', { ...quote, price: '0' }],
  ['that is no number', { ...quote, price: '1.5' }],
  ['that is missing', {}],
  ['that is no object', 'price'],
])('accepts no price %s', async (_, body) => {
  const issuer = issuerOf(() => body);
  await expect(issuer.softPrice(trade, signal)).rejects.toMatchObject({
    code: 'TOKENIZED_STOCK_SOFT_QUOTE_UNAVAILABLE',
  });
  await expect(issuer.attestedPrice(trade, signal)).rejects.toMatchObject({
    code: 'TOKENIZED_STOCK_ATTESTATION_FAILED',
  });
});

it.each([
  ['MARKET_CLOSED', true],
  ['ASSET_PAUSED', true],
  ['ASSET_REDEEM_ONLY', false],
  ['READ_ONLY_API_KEY', false],
])('passes on why the issuer refuses: %s', async (code, retryable) => {
  const details = { providerCode: code, retryable };
  const issuer = refusing({ code, message: 'no', documentation: '' });
  await expect(issuer.softPrice(trade, signal)).rejects.toMatchObject({ status: 502, details });
  await expect(issuer.attestedPrice(trade, signal)).rejects.toMatchObject({ status: 502, details });
});

it.each(['INVALID_NOTIONAL_VALUE', 'INVALID_TOKEN_AMOUNT', 'GAS_FEE_EXCEEDS_ORDER_VALUE'])(
  'reports an amount below the minimum of the issuer as a fault of the request: %s',
  async (code) => {
    const expected = { code: 'LENDING_BAD_REQUEST', status: 400, details: { kind: 'TOO_SMALL' } };
    const issuer = refusing({ code, message: 'no' }, 400);
    await expect(issuer.softPrice(trade, signal)).rejects.toMatchObject(expected);
    await expect(issuer.attestedPrice(trade, signal)).rejects.toMatchObject(expected);
  },
);

it('passes on no text of the issuer but a code', async () => {
  for (const body of [{ code: 'secret of john@example.com' }, { code: 7 }, 'MARKET_CLOSED', undefined])
    await expect(refusing(body).softPrice(trade, signal)).rejects.toMatchObject({ details: { retryable: true } });
});
