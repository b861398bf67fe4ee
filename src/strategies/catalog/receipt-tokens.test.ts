import { sampleStrategy } from '../../../test/strategies/sample-strategy';
import type { Strategy } from '../strategy';
import { createReceiptTokens } from './receipt-tokens';

const strategy = sampleStrategy('aave-v3');
const state = {
  chain: strategy.chain,
  status: 'ok',
  reason: undefined,
  resolved: 1,
  refused: new Map(),
  doubtful: new Set<string>(),
} as const;

describe('the tokens that stand for positions', () => {
  it('are those of the present strategies', () => {
    let all: readonly Strategy[] = [strategy];
    const find = createReceiptTokens({
      all: () => all,
      states: () => [{ ...state, waiting: new Set<string>() }],
      chains: [strategy.chain],
    });
    const { chainId, address } = strategy.receipt;
    expect(find()).toEqual(new Set([`${String(chainId)}:${address}`]));
    expect(find()).toBe(find());
    all = [];
    expect(find()).toEqual(new Set());
  });

  it('are unknown until the contracts of all strategies were read', () => {
    const unknown = (states: readonly ReadonlySet<string>[]) =>
      createReceiptTokens({
        all: () => [strategy],
        states: () => states.map((waiting) => ({ ...state, waiting })),
        chains: [strategy.chain],
      })();
    expect([unknown([]), unknown([new Set([strategy.row.id])])]).toEqual([undefined, undefined]);
  });
});
