import { hashTypedData, recoverTypedDataAddress } from 'viem';
import { sampleStrategy, WALLET } from '../../../../test/strategies/sample-strategy';
import { UpstreamError } from '../../../http/upstream-error';
import { orderWalletOf } from '../order-wallet';
import type { StockOrder } from '../stock-order';
import { orderUidOf, typedOrder } from './cow-order';
import { createOrderBook } from './order-book';

const SECRET = 'ab'.repeat(32);
const ACTION = '01935b7e-0000-7000-8000-000000000001';
const account = orderWalletOf(SECRET, ACTION);
const { row, underlying } = sampleStrategy('tokenized-stock');
const order = {
  actionId: ACTION,
  chainId: 56,
  orderWallet: account.address,
  receiver: WALLET,
  sellToken: underlying.address,
  buyToken: row.market,
  sellAmount: 1_000_000_000n,
  buyAmount: 4_950_000_000_000_000_000n,
  validTo: new Date(1_800_000_000_999),
} as unknown as StockOrder;
const signal = new AbortController().signal;

const bookOf = (respond: (path: string, body?: unknown) => unknown) =>
  createOrderBook({
    get: (path) => Promise.resolve().then(() => respond(path)),
    post: (path, body) => Promise.resolve().then(() => respond(path, body)),
  });
const refusing = (status: number, errorType: string) =>
  bookOf(() => {
    throw new UpstreamError('it responded', { kind: 'status', status, body: { errorType, description: 'why' } });
  });

describe('an order wallet', () => {
  it('is the same for an action each time, and another for each action and secret', () => {
    expect(orderWalletOf(SECRET, ACTION).address).toBe(account.address);
    expect(orderWalletOf(SECRET, `${ACTION.slice(0, -1)}2`).address).not.toBe(account.address);
    expect(orderWalletOf('cd'.repeat(32), ACTION).address).not.toBe(account.address);
  });

  it('signs its order for CoW Protocol, whose id has digest, owner and expiry', async () => {
    const typed = typedOrder(order);
    const signature = await account.signTypedData(typed);
    expect(await recoverTypedDataAddress({ ...typed, signature })).toBe(account.address);
    const uid = orderUidOf(order);
    expect(uid).toHaveLength(2 + 2 * 56);
    expect(uid.slice(0, 66)).toBe(hashTypedData(typed));
    expect(uid.slice(66, 106)).toBe(account.address.slice(2).toLowerCase());
    expect(Number.parseInt(uid.slice(106), 16)).toBe(1_800_000_000);
  });
});

describe('the order book', () => {
  it('gets an order as CoW Protocol has it', async () => {
    const bodies: unknown[] = [];
    const book = bookOf((_, body) => bodies.push(body));
    expect(await book.post(order, { signature: '0x12', quoteId: 7n }, signal)).toBeUndefined();
    expect(bodies).toEqual([
      expect.objectContaining({
        sellAmount: '1000000000',
        buyAmount: '4950000000000000000',
        feeAmount: '0',
        validTo: 1_800_000_000,
        kind: 'sell',
        partiallyFillable: false,
        signingScheme: 'eip712',
        from: account.address,
        quoteId: 7,
      }),
    ]);
  });

  it('has an order that was posted before', async () => {
    expect(
      await refusing(400, 'DuplicatedOrder').post(order, { signature: '0x', quoteId: undefined }, signal),
    ).toBeUndefined();
  });

  it.each([
    [400, 'UnsupportedToken', false],
    [400, 'InvalidSignature', false],
    [400, 'InsufficientBalance', true],
    [400, 'InvalidQuote', true],
    [400, 'ARefusalOfTheNextVersion', true],
    [403, 'Forbidden', true],
    [400, 'QuoteNotFound', true],
    [429, 'TooManyRequests', true],
    [503, 'InternalServerError', true],
  ])('refuses with %s %s, and an order may be posted again: %s → %s', async (status, code, mayRetry) => {
    const refusal = await refusing(status, code).post(order, { signature: '0x', quoteId: undefined }, signal);
    expect(refusal).toEqual({ code, message: 'why', mayRetry });
  });

  it('has or lacks an order only when it says so', async () => {
    expect(await refusing(404, 'NotFound').has('0x12', signal)).toBe(false);
    expect(await refusing(500, 'InternalServerError').has('0x12', signal)).toBeUndefined();
    expect(await bookOf(() => ({})).has('0x12', signal)).toBe(true);
  });

  it('quotes without an id, and reports nonsense as a refusal', async () => {
    const trade = { sellToken: order.sellToken, buyToken: order.buyToken, sellAmount: 1n, from: WALLET };
    expect(await bookOf(() => ({ quote: { buyAmount: '5' }, id: null })).quote(trade, signal)).toEqual({
      id: undefined,
      buyAmount: 5n,
    });
    for (const body of [{}, { quote: { buyAmount: -1 } }, undefined, 'quote'])
      expect(await bookOf(() => body).quote(trade, signal)).toMatchObject({ mayRetry: true, code: undefined });
  });

  it('names only settlements that are transactions', async () => {
    const txHash = `0x${'ab'.repeat(32)}`;
    expect(await bookOf(() => [{ txHash }, { txHash: null }, {}]).settlements('0x12', signal)).toEqual([txHash]);
    expect(await bookOf(() => [{ txHash: '0x12' }]).settlements('0x12', signal)).toEqual([]);
    expect(await bookOf(() => 'none').settlements('0x12', signal)).toEqual([]);
  });
});
