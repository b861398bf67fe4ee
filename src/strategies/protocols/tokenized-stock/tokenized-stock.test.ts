import { type Address, encodeAbiParameters, encodeEventTopics, erc20Abi, type Hex, type Log, parseAbi } from 'viem';
import { OTHER, RECEIPT, sampleStrategy, UNDERLYING, WALLET } from '../../../../test/strategies/sample-strategy';
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
const traded = (logIndex: number, amounts: { paid: bigint; bought: bigint }, emitter = SETTLEMENT): Log =>
  logAt(emitter, logIndex, {
    topics: encodeEventTopics({ abi: trade, eventName: 'Trade', args: { owner: OTHER } }),
    data: encodeAbiParameters(
      [
        { type: 'address' },
        { type: 'address' },
        { type: 'uint256' },
        { type: 'uint256' },
        { type: 'uint256' },
        { type: 'bytes' },
      ],
      [UNDERLYING, RECEIPT, amounts.paid, amounts.bought, 0n, '0x12'],
    ),
  });
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

  it('takes no price from other contracts, and values other movements as transfers', () => {
    const fake = traded(1, { paid: 1n, bought: TOKEN }, OTHER);
    expect(changes(fake, transfer(2, [SETTLEMENT, WALLET], TOKEN))).toEqual([['transferIn', TOKEN, undefined]]);
    expect(changes(transfer(1, [WALLET, OTHER], TOKEN))).toEqual([['transferOut', TOKEN, undefined]]);
    expect(changes(transfer(1, [WALLET, WALLET], TOKEN), transfer(2, [OTHER, SETTLEMENT], TOKEN))).toEqual([]);
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
