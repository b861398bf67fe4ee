import { coinAsToken, parseCoins } from './coin-transfers';

const HASH = `0x${'AB'.repeat(32)}`;
const [FROM, TO] = [`0x${'0F'.repeat(20)}`, `0x${'0e'.repeat(20)}`];
const sent = { hash: HASH, from: FROM, to: TO, value: '0x5' };
const coin = { txHash: HASH.toLowerCase(), txIndex: 2, from: FROM.toLowerCase(), to: TO, amount: 5n };
const result = { succeeded: true, created: undefined };

describe('the coin of a block', () => {
  it('is that of the transactions with a value, at their positions', () => {
    const without = [{ ...sent, value: '0x0' }, { type: '0x7e' }];
    expect(parseCoins([...without, sent])).toEqual({ coins: [coin] });
    expect(parseCoins([{ ...sent, value: '0x00' }])).toEqual({ coins: [] });
  });

  it('of a malformed transaction is reported as missing, without the loss of the others', () => {
    const parsed = parseCoins([{ ...sent, from: 'me' }, sent]);
    expect(parsed.coins).toHaveLength(1);
    expect(parsed.failure?.message).toBe('the node returned a malformed transaction');
  });

  it('moves only when its transaction succeeds', () => {
    expect(coinAsToken(coin, { blockHash: HASH, result: { ...result, succeeded: false } })).toBeUndefined();
    expect(coinAsToken(coin, { blockHash: HASH, result })).toMatchObject({ to: TO, amount: 5n, logIndex: -999_998 });
  });

  it('moves to the contract that its transaction creates', () => {
    const [creation] = parseCoins([{ ...sent, to: null }]).coins;
    expect(coinAsToken(creation!, { blockHash: HASH, result })).toBeUndefined();
    expect(coinAsToken(creation!, { blockHash: HASH, result: { ...result, created: TO } })).toMatchObject({ to: TO });
  });
});
