import { chains, quoteRequest, units, USDC } from '../../../test/swaps/swap-world';
import { assertFiatAmount } from './fiat-amount';

const fiat = chains.get(0);
const BRL = { chainId: 0, address: 'BRL', symbol: 'BRL', name: 'Brazilian real', decimals: 2, logoURI: undefined };
const USD = { ...BRL, address: 'USD', symbol: 'USD', name: 'US dollar' };

describe('the amount of a route to or from fiat', () => {
  it.each([
    ['a payout of more than a dollar', { destination: fiat, tokenOut: BRL, amount: units(1_000_001n) }],
    ['an exact amount of dollars out', { destination: fiat, tokenOut: USD, side: 'out', amount: units(5000n) }],
    [
      'an on-ramp of a hundred thousand reais',
      { origin: fiat, tokenIn: BRL, tokenOut: USDC, amount: units(10_000_000n) },
    ],
    ['no fiat at all', { amount: units(1n) }],
  ] as const)('is fine: %s', (_, changes) => {
    expect(() => assertFiatAmount(quoteRequest(changes))).not.toThrow();
  });

  it.each([
    ['AMOUNT_IN_TOO_LOW_OFFRAMP', { destination: fiat, tokenOut: BRL, amount: units(1_000_000n) }],
    ['AMOUNT_OUT_TOO_LOW_OFFRAMP', { destination: fiat, tokenOut: BRL, side: 'out', amount: units(499n) }],
    ['ROUTER_EXACT_OUT_UNSUPPORTED', { destination: fiat, tokenOut: BRL, side: 'out', amount: units(500n) }],
    ['AMOUNT_IN_TOO_HIGH_ONRAMP', { origin: fiat, tokenIn: BRL, tokenOut: USDC, amount: units(10_000_001n) }],
    [
      'AMOUNT_OUT_TOO_HIGH_ONRAMP',
      { origin: fiat, tokenIn: USD, tokenOut: USDC, side: 'out', amount: units(20_000_000_001n) },
    ],
  ] as const)('is refused with %s', (code, changes) => {
    expect(() => assertFiatAmount(quoteRequest(changes))).toThrow(expect.objectContaining({ code }) as Error);
  });
});
