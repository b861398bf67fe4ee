import type { Token } from '../../tokens/token';
import type { ChainBalances, TokenBalance } from '../balances/read-balances';
import { isHiddenSpam, positionId } from './value-tokens';

/** Tokens of one wallet whose prices one request reads, and of all of its wallets together. */
const MAX_PRICED = 500;
const MAX_PRICED_TOGETHER = 2000;

/**
 * The tokens of wallets whose prices are read, by the ids of their positions: of each wallet those that are listed or pinned
 * first. The wallets take turns, so that their order does not decide which of them are valued.
 */
export function tokensToPrice(wallets: readonly (readonly ChainBalances[])[]): ReadonlyMap<string, Token> {
  const lists = wallets.map((sections) => {
    const held = sections.flatMap(({ tokens }) => tokens.filter(isPriced));
    const [known, others] = [held.filter(isKnown), held.filter((balance) => !isKnown(balance))];
    return [...known, ...others].slice(0, MAX_PRICED);
  });
  const priced = new Map<string, Token>();
  for (let turn = 0; turn < MAX_PRICED; turn += 1) {
    for (const balance of lists.flatMap((list) => list[turn] ?? [])) {
      if (priced.size === MAX_PRICED_TOGETHER) return priced;
      priced.set(positionId(balance), tokenOf(balance));
    }
  }
  return priced;
}

type PricedBalance = TokenBalance & { readonly decimals: number };

/** True for balances that may have a value. */
const isPriced = (balance: TokenBalance): balance is PricedBalance =>
  balance.decimals !== undefined && (balance.amount ?? 0n) !== 0n && !isHiddenSpam(balance);

/** True for tokens whose prices are read first: those that the deployment lists or the customer has pinned. */
const isKnown = ({ isListed, isPinned }: TokenBalance): boolean => isListed || isPinned;

const tokenOf = ({ chainId, address, symbol, name, decimals, logoURI }: PricedBalance): Token => ({
  chainId,
  address,
  symbol,
  name,
  decimals,
  logoURI,
});
