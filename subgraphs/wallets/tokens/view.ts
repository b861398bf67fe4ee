import { formatUsd, formatUsdPrice, toMicroUsd } from '../../../src/money/usd';
import type { PositionConnection } from '../../../src/portfolio/overview/position-connection';
import type { TokenPosition, WalletTokens } from '../../../src/portfolio/overview/wallet-tokens';
import { usdNumber } from '../../../src/quotes/usd-number';
import type { ServedSnapshot } from '../../../src/snapshots/snapshot-section';
import type * as Types from './types';

/** The tokens of a wallet as the graph shows them, with the positions that a slice is taken from. */
export interface WalletTokensView extends Types.WalletTokens {
  readonly shown: readonly TokenPosition[];
}

type StoredView = Omit<WalletTokensView, 'computedAt' | 'isStale'>;

/** Views of stored tokens, which many requests are served. Those with spam, and stale ones, are made for each. */
const views = new WeakMap<WalletTokens, StoredView>();

export function walletTokensView(
  { value: tokens, computedAt, isStale }: ServedSnapshot<WalletTokens>,
  { includeSpam }: { readonly includeSpam: boolean },
): WalletTokensView {
  if (includeSpam || isStale) {
    return { ...storedView(isStale ? staleTokens(tokens) : tokens, includeSpam), computedAt, isStale };
  }
  const view = views.get(tokens) ?? storedView(tokens, false);
  views.set(tokens, view);
  return { ...view, computedAt, isStale };
}

/** The last known tokens, while newer ones are read or cannot be read: every amount may have changed. */
const staleTokens = (tokens: WalletTokens): WalletTokens => ({
  ...tokens,
  positions: tokens.positions.map((position) => ({ ...position, stale: true })),
  stalePositions: tokens.positions.filter(({ isHidden }) => !isHidden).length,
});

function storedView(tokens: WalletTokens, includeSpam: boolean): StoredView {
  const shown = includeSpam ? tokens.positions : tokens.positions.filter(({ isHidden }) => !isHidden);
  const { totalUsd, totalBrl, stalePositions, oldestAsOf, errors, isTruncated } = tokens;
  return {
    shown,
    positions: shown.map(positionView),
    summary: { totalAmountInUSD: formatUsd(totalUsd), totalAmountInBRL: realsOf(totalBrl) },
    staleness: { stalePositions, oldestAsOf },
    errors,
    isTruncated,
  };
}

export function connectionView(connection: PositionConnection): Types.TokenPositionConnection {
  const edges = connection.edges.map(({ cursor, node }) => ({ cursor, node: positionView(node) }));
  return { ...connection, edges, nodes: edges.map(({ node }) => node) };
}

function positionView({ price, valueUsd, valueBrl, ...position }: TokenPosition): Types.TokenPosition {
  return {
    ...position,
    price: price === undefined ? undefined : usdNumber(formatUsdPrice(price.usdE24)),
    isPriceConfirmed: price?.isConfirmed,
    amountInUSD: valueUsd === undefined ? undefined : formatUsd(valueUsd),
    amountInBRL: realsOf(valueBrl),
  };
}

/** Millionths of reais have the decimals of millionths of dollars. */
const realsOf = (value: bigint | undefined): string | undefined =>
  value === undefined ? undefined : formatUsd(toMicroUsd(value));
