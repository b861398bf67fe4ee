import { ALICE, BOB, devnet, ETH, ROUTER, units, USDC } from '../../../../test/swaps/swap-world';
import type { SwapCall } from '../../../venues/quote-provider';
import type { Token } from '../../../tokens/token';
import { assertCallMatchesQuote } from './assert-call-matches-quote';

const AMOUNT = units(5_000_000n);
const order = (tokenIn: Token) => ({
  request: { origin: devnet, tokenIn },
  offer: { provider: 'alpha', maxAmountIn: AMOUNT },
  sender: ALICE,
});
const tokenCall: SwapCall = {
  kind: 'call',
  chainId: 31_337,
  from: ALICE,
  to: ROUTER,
  data: '0xdeadbeef',
  value: 0n,
  spender: ROUTER,
};
const word = (text: string) => text.replace('0x', '').toLowerCase().padStart(64, '0');
const transferOf = (amount: bigint): SwapCall => ({
  ...tokenCall,
  to: USDC.address,
  spender: undefined,
  data: `0xa9059cbb${word(BOB)}${word(amount.toString(16))}`,
});
const nativeCall: SwapCall = { ...tokenCall, value: AMOUNT, spender: undefined };

describe('a call that a provider built', () => {
  it('is accepted when it takes the quoted amount from its sender', () => {
    expect(() => assertCallMatchesQuote(tokenCall, order(USDC))).not.toThrow();
    expect(() => assertCallMatchesQuote({ ...tokenCall, from: ALICE.toLowerCase() }, order(USDC))).not.toThrow();
    expect(() => assertCallMatchesQuote(nativeCall, order(ETH))).not.toThrow();
    // Unwrapping calls the token itself, without a spender.
    expect(() =>
      assertCallMatchesQuote({ ...tokenCall, to: USDC.address, spender: undefined }, order(USDC)),
    ).not.toThrow();
  });

  it('may transfer the quoted amount to a venue that takes deposits', () => {
    expect(() => assertCallMatchesQuote(transferOf(AMOUNT), order(USDC))).not.toThrow();
  });

  it('sends exactly the quoted fee in native coin', () => {
    const withFee = (tokenIn: Token) => ({ ...order(tokenIn), offer: { ...order(tokenIn).offer, nativeFee: 7n } });
    expect(() => assertCallMatchesQuote({ ...tokenCall, value: 7n }, withFee(USDC))).not.toThrow();
    expect(() => assertCallMatchesQuote({ ...nativeCall, value: AMOUNT + 7n }, withFee(ETH))).not.toThrow();
    for (const value of [0n, 6n, 8n]) {
      expect(() => assertCallMatchesQuote({ ...tokenCall, value }, withFee(USDC))).toThrow('native coin');
    }
    expect(() => assertCallMatchesQuote(nativeCall, withFee(ETH))).toThrow('native coin');
  });

  it('is refused on a chain without EVM calls', () => {
    const elsewhere = { ...order(USDC), request: { origin: { ...devnet, kind: 'solana' as const }, tokenIn: USDC } };
    expect(() => assertCallMatchesQuote(tokenCall, elsewhere)).toThrow('is for another chain');
  });

  it.each<[string, SwapCall, Token]>([
    ['is for another chain', { ...tokenCall, chainId: 1 }, USDC],
    ['sends the venue more of the token than was quoted', transferOf(AMOUNT + 1n), USDC],
    ['lets others spend the token', { ...transferOf(AMOUNT), data: `0x095ea7b3${'0'.repeat(128)}` }, USDC],
    ['lets others spend more of the token', { ...transferOf(AMOUNT), data: `0x39509351${'0'.repeat(128)}` }, USDC],
    ['takes the token from other accounts', { ...transferOf(AMOUNT), data: `0x23b872dd${'0'.repeat(192)}` }, USDC],
    ['sends the token without an amount', { ...transferOf(AMOUNT), data: '0xa9059cbb' }, USDC],
    ['has another sender', { ...tokenCall, from: BOB }, USDC],
    ['takes native coin in addition to the token', { ...tokenCall, value: 1n }, USDC],
    ['takes more native coin than was quoted', { ...nativeCall, value: AMOUNT + 1n }, ETH],
    ['requires an approval of the native coin', { ...nativeCall, spender: ROUTER }, ETH],
    ['calls the token with an approval', { ...tokenCall, to: USDC.address.toLowerCase() }, USDC],
    ['lets the token spend itself', { ...tokenCall, spender: USDC.address }, USDC],
    ['lets the sender spend', { ...tokenCall, spender: ALICE }, USDC],
    ['has no target', { ...tokenCall, to: '0x' }, USDC],
    ['has an invalid spender', { ...tokenCall, spender: 'router' }, USDC],
    ['has no function', { ...tokenCall, data: '0x12' }, USDC],
    ['has half a byte', { ...tokenCall, data: '0xdeadbeef0' }, USDC],
  ])('is refused when it %s', (_, call, tokenIn) => {
    expect(() => assertCallMatchesQuote(call, order(tokenIn))).toThrow(
      expect.objectContaining({ code: 'BYTECODE_GENERATION_FAILED', message: expect.stringContaining('alpha') }),
    );
  });
});
