import { pageBounds, type PageRequest, type Pagination, paginationOf } from '../../actions/pagination';
import type { CustomerId } from '../../auth/principal';
import { serviceError } from '../../errors/service-error';
import { formatUsd, type MicroUsd, sumUsd } from '../../money/usd';
import type { Token } from '../../tokens/token';
import {
  byValue,
  type CustomerHoldings,
  type HoldingsReader,
  type TokenHolding,
  type WalletAmount,
} from './read-holdings';

/** A token of a customer, as callers see it. */
export interface HoldingView {
  readonly token: Token;
  readonly totalAmount: bigint;
  /** Decimal text; null without a price. */
  readonly totalAmountUSD: string | null;
  readonly wallets: readonly WalletAmount[];
}

/** The tokens with one symbol on all chains. */
export interface HoldingGroupView {
  readonly symbol: string;
  /** Value of the tokens with a price; null when none has one. */
  readonly totalAmountUSD: string | null;
  readonly tokens: readonly HoldingView[];
}

interface HoldingPage<Item> extends Pick<CustomerHoldings, 'isComplete' | 'unavailableChains'> {
  readonly data: readonly Item[];
  readonly pagination: Pagination;
}

/** A page of the tokens of the customer `id`, which must be the customer of the request. */
export interface HoldingsQuery extends PageRequest {
  readonly customerId: CustomerId;
  readonly id: string;
  readonly signal: AbortSignal;
}

const LIMITS = { defaultLimit: 100, maximum: 500 };

/**
 * A page of the tokens that the wallets of a customer hold or may trade.
 *
 * @throws CUSTOMER_NOT_FOUND for another customer, whether it exists or not; VALIDATION_ERROR
 */
export async function listHoldings(read: HoldingsReader, query: HoldingsQuery): Promise<HoldingPage<HoldingView>> {
  const { bounds, holdings } = await readPage(read, query);
  return pageOf(holdings, bounds, holdings.tokens.map(holdingView));
}

/** A page of the same tokens by symbol, the most valuable first. @throws CUSTOMER_NOT_FOUND; VALIDATION_ERROR */
export async function listHoldingGroups(
  read: HoldingsReader,
  query: HoldingsQuery,
): Promise<HoldingPage<HoldingGroupView>> {
  const { bounds, holdings } = await readPage(read, query);
  return pageOf(holdings, bounds, groupsOf(holdings.tokens));
}

async function readPage(read: HoldingsReader, { customerId, id, signal, ...request }: HoldingsQuery) {
  const bounds = pageBounds(request, LIMITS);
  if (id !== customerId) throw serviceError('CUSTOMER_NOT_FOUND');
  return { bounds, holdings: await read(customerId, signal) };
}

function pageOf<Item>(
  { isComplete, unavailableChains }: CustomerHoldings,
  bounds: ReturnType<typeof pageBounds>,
  items: readonly Item[],
): HoldingPage<Item> {
  const start = (bounds.page - 1) * bounds.limit;
  const data = items.slice(start, start + bounds.limit);
  return { data, pagination: paginationOf(bounds, items.length), isComplete, unavailableChains };
}

const holdingView = ({ token, totalAmount, totalUsd, wallets }: TokenHolding): HoldingView => ({
  token,
  totalAmount,
  totalAmountUSD: usdText(totalUsd),
  wallets,
});

const usdText = (usd: MicroUsd | undefined): string | null => (usd === undefined ? null : formatUsd(usd));

function groupsOf(tokens: readonly TokenHolding[]): readonly HoldingGroupView[] {
  const bySymbol = new Map<string, TokenHolding[]>();
  for (const holding of tokens) {
    const { symbol } = holding.token;
    bySymbol.set(symbol, [...(bySymbol.get(symbol) ?? []), holding]);
  }
  const groups = [...bySymbol].map(([symbol, members]) => {
    const held = members.filter(({ totalAmount }) => totalAmount > 0n);
    const priced = (held.length === 0 ? members : held).flatMap(({ totalUsd }) => totalUsd ?? []);
    return { symbol, members, totalUsd: priced.length === 0 ? undefined : sumUsd(priced) };
  });
  // The sort is stable: among equals, held tokens stay before those that may be traded.
  return groups.sort(byValue).map(({ symbol, members, totalUsd }) => ({
    symbol,
    totalAmountUSD: usdText(totalUsd),
    tokens: members.map(holdingView),
  }));
}
