import type { Address } from 'viem';
import { isNativeToken } from '../../src/chains/addresses';
import { invariant } from '../../src/errors/invariant-error';
import { type PoolChain, type PoolState, type PoolStates, type Ratio, spotPrice } from './pools';

const DOLLARS: readonly string[] = ['USDC', 'USDT', 'DAI'];
const WHOLE_DOLLAR_DECIMALS: Readonly<Record<string, bigint>> = { USDC: 6n, USDT: 6n, DAI: 18n };

/** A token whose price is read from the chain. */
export interface PricedToken {
  readonly contract: string;
  /** Source of the price that the service shows: `peg`, or `protocol:pool`. */
  readonly priceSource?: string | null | undefined;
}

/**
 * US dollars for one base unit of a token, computed from the pools alone: a dollar for a dollar token, else the current price of
 * the pool that the service names, or of the deepest one. A second implementation of the rule of decision 9.
 */
export function marketPrice(chain: PoolChain, states: PoolStates, { contract, priceSource }: PricedToken): Ratio {
  const token = tradedAddress(chain, contract);
  const pegged = DOLLARS.find((symbol) => chain.tokens[symbol] === token);
  if (pegged !== undefined) return { numerator: 1n, denominator: 10n ** (WHOLE_DOLLAR_DECIMALS[pegged] ?? 0n) };
  const pool = namedPool(states, priceSource) ?? deepestPool(chain, states, token);
  const anchor = marketPrice(chain, states, { contract: otherToken(pool, token) });
  const spot = spotPrice(pool, token);
  return { numerator: spot.numerator * anchor.numerator, denominator: spot.denominator * anchor.denominator };
}

/** The ERC-20 as which pools hold a token. */
export function tradedAddress({ tokens }: PoolChain, contract: string): Address {
  const [, listed] = isNativeToken(contract)
    ? ['WETH', tokens['WETH']]
    : (Object.entries(tokens).find(([, address]) => address.toLowerCase() === contract.toLowerCase()) ?? []);
  invariant(listed !== undefined, `${contract} is not a token of the chain`);
  return listed;
}

const namedPool = (states: PoolStates, source: string | null | undefined): PoolState | undefined =>
  states.get(source?.split(':')[1]?.toLowerCase() ?? '');

const otherToken = ({ token0, token1 }: PoolState, token: Address): Address => (token === token0 ? token1 : token0);

/** The pool against a dollar token with the largest balance of it. */
function deepestPool(chain: PoolChain, states: PoolStates, token: Address): PoolState {
  const depthOf = (pool: PoolState): bigint => {
    const anchor = otherToken(pool, token);
    const symbol = DOLLARS.find((each) => chain.tokens[each] === anchor);
    const balance = anchor === pool.token0 ? pool.balance0 : pool.balance1;
    return symbol === undefined ? 0n : balance * 10n ** (18n - (WHOLE_DOLLAR_DECIMALS[symbol] ?? 0n));
  };
  const [deepest] = [...states.values()]
    .filter(({ token0, token1 }) => token0 === token || token1 === token)
    .sort((one, other) => (depthOf(one) > depthOf(other) ? -1 : 1));
  invariant(deepest, `no pool prices ${token}`);
  return deepest;
}
