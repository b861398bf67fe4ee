import { type Address, encodeAbiParameters, encodeEventTopics, erc20Abi, type Hex, type Log, parseAbi } from 'viem';
import {
  addressOf,
  OTHER,
  RECEIPT,
  sampleStrategy,
  UNDERLYING,
  WALLET,
} from '../../../../test/strategies/sample-strategy';
import { tokenizedStock } from './tokenized-stock';

const SETTLEMENT: Address = '0x9008D19f58AAbD9eD0D60971565AA8510560ab41';
const sample = sampleStrategy('tokenized-stock');
const strategy = { ...sample, receipt: { ...sample.receipt, decimals: 18 } };
const TOKEN = 10n ** 18n;
const trade = parseAbi([
  'event Trade(address indexed owner, address sellToken, address buyToken, uint256 sellAmount, uint256 buyAmount, uint256 feeAmount, bytes orderUid)',
]);

const logAt = (address: Address, logIndex: number, { topics, data }: { topics: unknown; data: Hex }): Log => ({
  address,
  topics: topics as Log['topics'],
  data,
  logIndex,
  blockNumber: 5n,
  blockHash: `0x${'1'.repeat(64)}`,
  transactionHash: `0x${'2'.repeat(64)}`,
  transactionIndex: 0,
  removed: false,
});
const transfer = (logIndex: number, [from, to]: readonly [Address, Address], value: bigint): Log =>
  logAt(RECEIPT, logIndex, {
    topics: encodeEventTopics({ abi: erc20Abi, eventName: 'Transfer', args: { from, to } }),
    data: encodeAbiParameters([{ type: 'uint256' }], [value]),
  });
interface TradeTerms {
  readonly owner?: Address;
  readonly tokens?: readonly [Address, Address];
  readonly amounts: readonly [bigint, bigint];
}
const tradeAt = (
  logIndex: number,
  { owner = OTHER, tokens: [sold, bought] = [UNDERLYING, RECEIPT], amounts }: TradeTerms,
  emitter = SETTLEMENT,
): Log =>
  logAt(emitter, logIndex, {
    topics: encodeEventTopics({ abi: trade, eventName: 'Trade', args: { owner } }),
    data: encodeAbiParameters(
      [
        { type: 'address' },
        { type: 'address' },
        { type: 'uint256' },
        { type: 'uint256' },
        { type: 'uint256' },
        { type: 'bytes' },
      ],
      [sold, bought, ...amounts, 0n, '0x12'],
    ),
  });
const traded = (logIndex: number, { paid, bought }: { paid: bigint; bought: bigint }, emitter = SETTLEMENT): Log =>
  tradeAt(logIndex, { amounts: [paid, bought] }, emitter);
const changes = (...logs: Log[]) =>
  tokenizedStock.events.changes(strategy, WALLET, logs).map(({ kind, shares, assets }) => [kind, shares, assets]);

describe('the position in a stock', () => {
  it('grows by what the settlement pays out, at the price of its trade', () => {
    const logs = [traded(1, { paid: 1_000n, bought: 5n * TOKEN }), transfer(2, [SETTLEMENT, WALLET], 5n * TOKEN)];
    expect(changes(...logs)).toEqual([['deposit', 5n * TOKEN, 1_000n]]);
  });

  it('takes each trade for one payout', () => {
    const payouts = [transfer(3, [SETTLEMENT, WALLET], TOKEN), transfer(4, [SETTLEMENT, WALLET], TOKEN)];
    expect(changes(traded(1, { paid: 7n, bought: TOKEN }), ...payouts)).toEqual([
      ['deposit', TOKEN, 7n],
      ['transferIn', TOKEN, undefined],
    ]);
  });

  it('is not bought at the price of an equal order of another account in the same transaction', () => {
    const trades = [traded(1, { paid: 1_010n, bought: 5n * TOKEN }), traded(2, { paid: 1_000n, bought: 5n * TOKEN })];
    const payouts = [transfer(3, [SETTLEMENT, OTHER], 5n * TOKEN), transfer(4, [SETTLEMENT, WALLET], 5n * TOKEN)];
    expect(changes(...trades, ...payouts)).toEqual([['deposit', 5n * TOKEN, 1_000n]]);
    const foreign = tradeAt(1, { tokens: [OTHER, RECEIPT], amounts: [3n, 5n * TOKEN] });
    expect(changes(foreign, trades[1]!, ...payouts)).toEqual([['deposit', 5n * TOKEN, 1_000n]]);
  });

  it('takes no price from other contracts, and values other movements as transfers', () => {
    const fake = traded(1, { paid: 1n, bought: TOKEN }, OTHER);
    expect(changes(fake, transfer(2, [SETTLEMENT, WALLET], TOKEN))).toEqual([['transferIn', TOKEN, undefined]]);
    expect(changes(transfer(1, [WALLET, OTHER], TOKEN))).toEqual([['transferOut', TOKEN, undefined]]);
    expect(changes(transfer(1, [WALLET, WALLET], TOKEN), transfer(2, [OTHER, SETTLEMENT], TOKEN))).toEqual([]);
  });
});

describe('a position with sales', () => {
  const SALE = addressOf('d');
  const ENDED = addressOf('e');
  const sales = [
    { orderWallet: SALE, isOpen: true },
    { orderWallet: ENDED, isOpen: false },
  ];
  const orders = { sales, allSaleWallets: [SALE, ENDED], purchases: [] };
  const { events, holding } = tokenizedStock.withOrders!(orders);
  const sold = (logIndex: number, amounts: readonly [bigint, bigint], changed: Partial<TradeTerms> = {}): Log =>
    tradeAt(logIndex, { owner: SALE, tokens: [RECEIPT, UNDERLYING], amounts, ...changed });
  const changesOf = (...logs: Log[]) =>
    events.changes(strategy, WALLET, logs).map(({ kind, shares, assets }) => [kind, shares, assets]);

  it('is changed neither by the transfer that funds a sale nor by its refund', () => {
    expect(changesOf(transfer(1, [WALLET, SALE], TOKEN), transfer(2, [SALE, WALLET], TOKEN))).toEqual([]);
    expect(changesOf(transfer(1, [ENDED, SALE], TOKEN))).toEqual([]);
  });

  it('loses what a settlement takes, also a part, for the dollars that it pays', () => {
    expect(changesOf(sold(1, [2n * TOKEN, 430n]), transfer(2, [SALE, SETTLEMENT], 2n * TOKEN))).toEqual([
      ['withdrawal', 2n * TOKEN, 430n],
    ]);
    const two = [transfer(3, [SALE, SETTLEMENT], TOKEN), transfer(4, [SALE, SETTLEMENT], 2n * TOKEN)];
    expect(changesOf(sold(1, [2n * TOKEN, 430n]), sold(2, [TOKEN, 211n]), ...two)).toEqual([
      ['withdrawal', TOKEN, 211n],
      ['withdrawal', 2n * TOKEN, 430n],
    ]);
  });

  it('takes no price of the sale of another account, of another token, or of another contract', () => {
    const settled = transfer(9, [SALE, SETTLEMENT], TOKEN);
    const others = [
      sold(1, [TOKEN, 999n], { owner: OTHER }),
      sold(2, [TOKEN, 999n], { tokens: [RECEIPT, OTHER] }),
      tradeAt(3, { owner: SALE, tokens: [RECEIPT, UNDERLYING], amounts: [TOKEN, 999n] }, OTHER),
    ];
    expect(changesOf(...others, settled)).toEqual([['transferOut', TOKEN, undefined]]);
    expect(changesOf(sold(1, [TOKEN, 999n]), transfer(2, [SALE, OTHER], TOKEN))).toEqual([
      ['transferOut', TOKEN, undefined],
    ]);
  });

  it('gains what others send to an order wallet, and is found by the logs of all order wallets', () => {
    expect(changesOf(transfer(1, [OTHER, SALE], TOKEN))).toEqual([['transferIn', TOKEN, undefined]]);
    const topics = events.filters(strategy, WALLET).map((filter) => filter.topics.slice(1).flat());
    const both = [SALE, ENDED].map((address) => expect.stringContaining(address.slice(2).toLowerCase()) as string);
    expect(topics.slice(2)).toEqual([both, [null, ...both]]);
    expect(tokenizedStock.events.filters(strategy, WALLET)).toHaveLength(2);
  });

  it('contains the tokens of its order wallets, and shows those of open sales as requested', () => {
    const block = { number: 1n, timestamp: 1n };
    const price = [8, [1n, 20_000_000_000n, 1n, 1n, 1n]];
    const read = holding(strategy, WALLET);
    expect(read.reads).toHaveLength(5);
    expect(read.decode([...price, TOKEN, 2n * TOKEN, 4n * TOKEN], block)).toMatchObject({
      shares: 7n * TOKEN,
      receiptBalance: TOKEN,
      receiptWorth: 200_000_000n,
      value: 1_400_000_000n,
      availableToWithdraw: 200_000_000n,
      requests: { withdraw: { shares: 2n * TOKEN, assets: 400_000_000n }, lend: { shares: 0n, assets: 0n } },
    });
    expect(read.decode([...price, 0n, 1n, 0n], block)?.requests).toBeUndefined();
    expect(read.decode([...price, TOKEN, undefined, 0n], block)).toBeUndefined();
  });
});

describe('a position with purchases', () => {
  const PURCHASES = [addressOf('d'), addressOf('e')];
  const block = { number: 1n, timestamp: 1n };
  const price = [8, [1n, 20_000_000_000n, 1n, 1n, 1n]];
  const sale = { orderWallet: addressOf('f'), isOpen: true };
  const withPurchases = { sales: [], allSaleWallets: [], purchases: PURCHASES };
  const { events, holding } = tokenizedStock.withOrders!(withPurchases);
  const read = holding(strategy, WALLET);
  const nothing = { shares: 0n, assets: 0n };

  it('shows the dollars in their order wallets as requested, and has none of them in another amount', () => {
    const owners = read.reads.slice(3).map(({ to, data }) => [to, `0x${data.slice(-40)}`]);
    expect(owners).toEqual(PURCHASES.map((owner) => [UNDERLYING, owner.toLowerCase()]));
    const held = read.decode([...price, TOKEN, 300_000_000n, 100_000_000n], block);
    expect(held).toMatchObject({
      shares: TOKEN,
      receiptBalance: TOKEN,
      value: 200_000_000n,
      availableToWithdraw: 200_000_000n,
      requests: { lend: { assets: 400_000_000n, shares: 2n * TOKEN }, withdraw: nothing },
    });
    expect(read.decode([...price, 0n, 300_000_000n, 0n], block)).toMatchObject({
      shares: 0n,
      value: 0n,
      requests: { lend: { assets: 300_000_000n }, claimableLend: { ...nothing, worth: 0n } },
    });
  });

  it('has no request without dollars or with less than a cent, and is unread while one of the wallets is', () => {
    expect(read.decode([...price, TOKEN, 0n, 9_999n], block)?.requests).toBeUndefined();
    expect(read.decode([...price, TOKEN, 0n, 10_000n], block)?.requests?.lend.assets).toBe(10_000n);
    expect(read.decode([...price, TOKEN, undefined, 1n], block)).toBeUndefined();
  });

  it('keeps purchases and sales apart', () => {
    const both = tokenizedStock.withOrders!({
      ...withPurchases,
      sales: [sale],
      allSaleWallets: [sale.orderWallet],
    });
    const { decode } = both.holding(strategy, WALLET);
    expect(decode([...price, 0n, TOKEN, 300_000_000n, 0n], block)).toMatchObject({
      shares: TOKEN,
      value: 200_000_000n,
      requests: { lend: { assets: 300_000_000n }, withdraw: { shares: TOKEN, assets: 200_000_000n } },
    });
    expect(decode([...price, 0n, 1n, 300_000_000n, 0n], block)?.requests).toMatchObject({
      lend: { assets: 300_000_000n },
      withdraw: nothing,
    });
  });

  it('has the changes and the logs of one without', () => {
    const [order] = PURCHASES;
    const logs = [transfer(1, [order!, WALLET], TOKEN), transfer(2, [OTHER, order!], TOKEN)];
    expect(events.changes(strategy, WALLET, logs)).toEqual(tokenizedStock.events.changes(strategy, WALLET, logs));
    expect(events.filters(strategy, WALLET)).toEqual(tokenizedStock.events.filters(strategy, WALLET));
    expect(events.version).toBe(tokenizedStock.events.version);
  });
});

describe('the market of a stock', () => {
  const block = { number: 1n, timestamp: 1n };
  const round = (price: bigint) => [1n, price, 1n, 1n, 1n] as const;

  it('has the price of its feed, in the decimals of both tokens', () => {
    const { decode } = tokenizedStock.market(strategy);
    const state = decode([8, round(20_000_000_000n), 3n * TOKEN], block);
    expect(state).toMatchObject({ tvl: 600_000_000n, sharePriceRay: (200n * 10n ** 27n) / 10n ** 12n });
    const holding = tokenizedStock.holding(strategy, WALLET).decode([8, round(20_000_000_000n), TOKEN / 2n], block);
    expect(holding).toMatchObject({ shares: TOKEN / 2n, value: 100_000_000n, debt: 0n });
  });

  it.each([
    ['a price of 0', [8, round(0n), TOKEN]],
    ['a negative price', [8, round(-1n), TOKEN]],
    ['absurd decimals', [255, round(1n), TOKEN]],
    ['no response', [undefined, undefined, undefined]],
    ['no supply', [8, round(1n), undefined]],
  ])('is unread with %s', (_, results) => {
    expect(tokenizedStock.market(strategy).decode(results, block)).toBeUndefined();
    expect(tokenizedStock.holding(strategy, WALLET).decode(results, block)).toBeUndefined();
  });

  it('is refused without a feed', () => {
    expect(tokenizedStock.resolution(strategy.row)).toMatchObject({ kind: 'refused' });
  });
});
