import { isNativeToken } from '../../chains/addresses';
import { plausibleUsd, sumUsd, type UsdPrice, usdValue, usdWorth } from '../../money/usd';
import type { PriceResult } from '../../prices/token-price';
import type { BalanceProblem } from '../balances/holding';
import type { ChainBalances, TokenBalance } from '../balances/read-balances';
import { comparePositions } from './position-order';
import type { TokenPosition, TokensError, WalletTokens } from './wallet-tokens';

/** Prices that positions are valued with. */
export interface PositionPrices {
  /** The result for a token by the id of its position; `undefined` when no price was requested. */
  readonly byId: ReadonlyMap<string, PriceResult>;
  /** Price of one real in US dollars. */
  readonly real: UsdPrice | undefined;
}

/** Errors of one wallet that are returned. */
const MAX_ERRORS = 100;

/** Stable id of the position of a token. SOL has the address of wrapped SOL, which a wallet may hold as well. */
export function positionId({
  chainId,
  address,
  isNative,
}: Pick<TokenBalance, 'chainId' | 'address' | 'isNative'>): string {
  return `${String(chainId)}:${isNative && !isNativeToken(address) ? 'native' : address}`;
}

/** Spam that the customer has not pinned is neither priced nor counted, and shown only on request. */
export const isHiddenSpam = ({ spam, isPinned }: Pick<TokenBalance, 'spam' | 'isPinned'>): boolean =>
  spam.isSpam && !isPinned;

/**
 * The positions of a wallet with their values. Totals add the rounded values of the positions, so that they equal the sum of
 * what is shown.
 */
export function valueTokens(sections: readonly ChainBalances[], prices: PositionPrices): WalletTokens {
  const positions = sections.flatMap((section) => positionsOf(section, prices)).sort(comparePositions);
  const shown = positions.filter(({ isHidden }) => !isHidden);
  const times = shown.map(({ asOf }) => asOf.getTime());
  return {
    positions,
    totalUsd: sumUsd(shown.flatMap(({ valueUsd }) => valueUsd ?? [])),
    totalBrl: prices.real === undefined ? undefined : shown.reduce((sum, { valueBrl }) => sum + (valueBrl ?? 0n), 0n),
    stalePositions: shown.filter(({ stale }) => stale).length,
    oldestAsOf: times.length === 0 ? undefined : new Date(times.reduce((one, other) => Math.min(one, other))),
    errors: [
      ...sections.flatMap(chainError),
      ...sections.flatMap(tokenErrors),
      ...priceErrors(sections, { positions: shown, prices }),
    ].slice(0, MAX_ERRORS),
    isTruncated: sections.some(({ isTruncated }) => isTruncated),
  };
}

/** The listed and pinned tokens that the total lacks. Other tokens are sent to wallets by strangers. */
function priceErrors(
  sections: readonly ChainBalances[],
  { positions, prices }: { readonly positions: readonly TokenPosition[]; readonly prices: PositionPrices },
): readonly TokensError[] {
  const slugs = new Map(sections.map(({ chainId, chain }) => [chainId, chain]));
  return positions
    .filter(({ valueUsd, isListed, isPinned }) => valueUsd === undefined && (isListed || isPinned))
    .map(({ id, chainId, address, symbol, decimals }) => {
      const isRequested = prices.byId.has(id) || decimals === undefined;
      const reason = isRequested ? 'it has no usable price' : 'this request has too many tokens for its price';
      const message = `The total lacks ${symbol} on ${slugs.get(chainId) ?? String(chainId)}: ${reason}`;
      return { code: isRequested ? 'PRICE_MISSING' : 'PRICE_NOT_REQUESTED', message, chainId, address };
    });
}

function positionsOf({ asOf, isStale, tokens }: ChainBalances, prices: PositionPrices): readonly TokenPosition[] {
  if (asOf === undefined) return [];
  return tokens.flatMap((token) => {
    const { amount } = token;
    if (amount === undefined || amount === 0n) return [];
    return [{ ...describe(token), ...valueOf({ ...token, amount }, prices), amount, stale: isStale, asOf: asOf.time }];
  });
}

function describe(token: TokenBalance) {
  const { chainId, address, isNative, isListed, isPinned, symbol, name, decimals, logoURI, humanized, spam } = token;
  const texts = { symbol, name, decimals, logoURI, humanized };
  const kind = { isNative, isListed, isPinned, spam, isHidden: isHiddenSpam(token) };
  return { id: positionId(token), chainId, address, ...texts, ...kind };
}

type Valuation = Pick<TokenPosition, 'price' | 'missingPrice' | 'valueUsd' | 'valueBrl'>;

function valueOf(token: TokenBalance & { readonly amount: bigint }, { byId, real }: PositionPrices): Valuation {
  const { price, missing } = (isHiddenSpam(token) ? undefined : byId.get(positionId(token))) ?? {};
  const isPriced = price !== undefined && token.decimals !== undefined;
  const valueUsd = isPriced ? plausibleUsd(usdValue(token.amount, token.decimals, price.usdE24)) : undefined;
  const valueBrl = valueUsd === undefined || real === undefined ? undefined : usdWorth(valueUsd, real);
  return { price, missingPrice: missing, valueUsd, valueBrl };
}

function chainError({ chainId, error }: ChainBalances): readonly TokensError[] {
  if (error === undefined) return [];
  return [{ code: error.code, message: error.message, chainId, address: undefined }];
}

const REASONS: Readonly<Record<BalanceProblem, string>> = {
  REVERTED: 'the contract rejected the call',
  INVALID_DATA: 'the contract did not return a balance',
  NOT_READ: 'it was not read in time. Retry later',
  QUARANTINED: 'the contract made calls fail repeatedly, and is not read for a while',
};

function tokenErrors({ chainId, chain, tokens }: ChainBalances): readonly TokensError[] {
  return tokens.flatMap((token) => {
    const { problem, symbol, address } = token;
    if (problem === undefined || isHiddenSpam(token)) return [];
    const message = `The balance of ${symbol} on ${chain} is missing: ${REASONS[problem]}`;
    return [{ code: `BALANCE_${problem}`, message, chainId, address }];
  });
}
