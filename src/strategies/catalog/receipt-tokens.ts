import type { Token } from '../../tokens/token';
import type { Strategy } from '../strategy';
import type { Strategies } from './strategies';

/**
 * The tokens that stand for positions in strategies, such as aTokens and shares of vaults, as `<chainId>:<address>`. `undefined` while
 * the contracts of a strategy were not read.
 */
export type FindReceiptTokens = () => ReadonlySet<string> | undefined;

export function createReceiptTokens(strategies: Pick<Strategies, 'all' | 'states' | 'chains'>): FindReceiptTokens {
  let known: { readonly of: readonly Strategy[]; readonly ids: ReadonlySet<string> } | undefined;
  return () => {
    const states = strategies.states();
    const isKnown = states.length === strategies.chains.length && states.every(({ waiting }) => waiting.size === 0);
    if (!isKnown) return undefined;
    const all = strategies.all();
    if (known?.of !== all) known = { of: all, ids: new Set(all.map(({ receipt }) => idOf(receipt))) };
    return known.ids;
  };
}

const idOf = ({ chainId, address }: Token): string => `${String(chainId)}:${address}`;
