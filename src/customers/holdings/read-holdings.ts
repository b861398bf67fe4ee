import { LRUCache } from 'lru-cache';
import { createSingleFlight } from '../../async/single-flight';
import type { CustomerId } from '../../auth/principal';
import { addressKey } from '../../chains/addresses';
import { type MicroUsd, plausibleUsd, toMicroUsd, usdValue } from '../../money/usd';
import type { TokenBalanceDeps } from '../../portfolio/balances/balance-deps';
import { listedTokens } from '../../portfolio/balances/listed-tokens';
import { type ChainBalances, readBalances, type TokenBalance } from '../../portfolio/balances/read-balances';
import { visibleBalances } from '../../portfolio/balances/visible-balances';
import { chainsOfWallet, isServed } from '../../portfolio/balances/wallet-chains';
import { positionId } from '../../portfolio/overview/value-tokens';
import { listWallets } from '../../portfolio/wallets';
import type { TokenPriceReader } from '../../prices/token-price';
import type { Token } from '../../tokens/token';

export interface HoldingsDeps {
  readonly balances: TokenBalanceDeps;
  readonly tokenPrices: TokenPriceReader;
  readonly blockedAddresses: ReadonlySet<string>;
}

/** What a wallet holds of a token. */
export interface WalletAmount {
  readonly address: string;
  /** In base units. */
  readonly amount: bigint;
}

/** A token that wallets of a customer hold, or may trade: then the amount is 0. */
export interface TokenHolding {
  readonly token: Token;
  /** In base units, of all wallets. */
  readonly totalAmount: bigint;
  /** `undefined` without a price, and for a sum that no wallet can have. */
  readonly totalUsd: MicroUsd | undefined;
  /** The wallets that hold it, the largest amount first. */
  readonly wallets: readonly WalletAmount[];
}

/** The tokens of a customer at one moment. */
export interface CustomerHoldings {
  /** Held tokens by value, those without a price behind them, then the other listed tokens. */
  readonly tokens: readonly TokenHolding[];
  /** False when wallets, chains or tokens could not be read, or there are too many of them. */
  readonly isComplete: boolean;
  /** Slugs of chains that could not be read. Their last known balances count. */
  readonly unavailableChains: readonly string[];
}

/** The newest wallets of a customer that are read. */
export const MAX_WALLETS = 100;
/** Tokens that are valued; listed ones first. */
const MAX_PRICED = 500;
/** Pages of one list are cut from one reading. */
const FRESH_MS = 10_000;
const MAX_CUSTOMERS = 200;

export type HoldingsReader = (customerId: CustomerId, signal: AbortSignal) => Promise<CustomerHoldings>;

/** Reads the holdings of customers. A reading serves the requests of its customer for ten seconds. */
export function createHoldingsReader(deps: HoldingsDeps): HoldingsReader {
  const recent = new LRUCache<string, CustomerHoldings>({ max: MAX_CUSTOMERS, ttl: FRESH_MS });
  const flight = createSingleFlight<CustomerHoldings>();
  return async (customerId, signal) => {
    const cached = recent.get(customerId);
    if (cached !== undefined) return cached;
    const read = async (shared: AbortSignal): Promise<CustomerHoldings> => {
      const holdings = await readHoldings(deps, customerId, shared);
      recent.set(customerId, holdings);
      return holdings;
    };
    return flight.join(customerId, read, signal);
  };
}

async function readHoldings(
  deps: HoldingsDeps,
  customerId: CustomerId,
  signal: AbortSignal,
): Promise<CustomerHoldings> {
  const { balances, blockedAddresses } = deps;
  const blocked = new Set([...blockedAddresses].map(addressKey));
  const { data, pagination } = await listWallets(balances, { customerId, limit: MAX_WALLETS });
  const wallets = data.map(({ address }) => address).filter((address) => !blocked.has(addressKey(address)));
  const requests = wallets.map((address) => ({
    address,
    chains: chainsOfWallet(balances, address),
    includeZero: false,
  }));
  const sections = await readBalances(balances, { customerId, requests, signal });
  const held = addUp(wallets.map((address, index) => ({ address, chains: sections[index] ?? [] })));
  const all = sections.flat();
  const isWhole = ({ error, isTruncated, tokens }: ChainBalances): boolean =>
    error === undefined && !isTruncated && tokens.every(({ problem }) => problem === undefined);
  return {
    tokens: [...(await valued(deps, held)), ...listedBeside(deps, held)],
    isComplete: !pagination.hasMore && all.every(isWhole),
    unavailableChains: [...new Set(all.filter(({ error }) => error !== undefined).map(({ chain }) => chain))],
  };
}

interface WalletSections {
  readonly address: string;
  readonly chains: readonly ChainBalances[];
}

const keyOf = ({ chainId, address }: Pick<Token, 'chainId' | 'address'>): string => `${String(chainId)}:${address}`;

/** What the wallets hold, by the id of the position: SOL and wrapped SOL have one address. Tokens that look like spam, or have no decimals, are left out. */
export function addUp(wallets: readonly WalletSections[]): ReadonlyMap<string, HeldToken> {
  const held = new Map<string, HeldToken>();
  for (const { address, chains } of wallets) {
    const shown = chains.flatMap((chain) => visibleBalances(chain, { includeZero: false, includeSpam: false }).tokens);
    for (const balance of shown) {
      const token = tokenOf(balance);
      if (token === undefined || balance.amount === undefined || balance.amount === 0n) continue;
      const id = positionId(balance);
      const entry = held.get(id) ?? { token, isListed: balance.isListed, wallets: [] };
      entry.wallets.push({ address, amount: balance.amount });
      held.set(id, entry);
    }
  }
  return held;
}

interface HeldToken {
  readonly token: Token;
  readonly isListed: boolean;
  readonly wallets: WalletAmount[];
}

function tokenOf({ chainId, address, symbol, name, decimals, logoURI }: TokenBalance): Token | undefined {
  return decimals === undefined ? undefined : { chainId, address, symbol, name, decimals, logoURI };
}

export async function valued(
  { tokenPrices }: Pick<HoldingsDeps, 'tokenPrices'>,
  held: ReadonlyMap<string, HeldToken>,
): Promise<readonly TokenHolding[]> {
  const entries = [...held.values()].sort((one, other) => compareFlags(other.isListed, one.isListed));
  const prices = await tokenPrices.read(entries.slice(0, MAX_PRICED).map(({ token }) => token));
  const holdings = entries.map(({ token, wallets }, index): TokenHolding => {
    const totalAmount = wallets.reduce((sum, { amount }) => sum + amount, 0n);
    const price = prices[index]?.price?.usdE24;
    return {
      token,
      totalAmount,
      totalUsd: price === undefined ? undefined : plausibleUsd(usdValue(totalAmount, token.decimals, price)),
      wallets: wallets.toSorted(
        (one, other) => compare(other.amount, one.amount) || (one.address < other.address ? -1 : 1),
      ),
    };
  });
  return holdings.sort(byValue);
}

/** The listed tokens of the served chains that no wallet holds: they may be traded. */
function listedBeside({ balances }: HoldingsDeps, held: ReadonlyMap<string, HeldToken>): readonly TokenHolding[] {
  const chains = balances.chains.all.filter((chain) => isServed(balances, chain));
  const shown = new Set([...held.values()].map(({ token }) => keyOf(token)));
  return chains.flatMap((chain) =>
    [...listedTokens(chain)]
      .map(([address, listed]): Token => ({ logoURI: undefined, ...listed, address, chainId: chain.chainId }))
      .filter((token) => !shown.has(keyOf(token)))
      .map((token) => ({ token, totalAmount: 0n, totalUsd: toMicroUsd(0n), wallets: [] })),
  );
}

/** False comes first. */
const compareFlags = (one: boolean, other: boolean): number => (one === other ? 0 : one ? 1 : -1);

const compare = (one: bigint, other: bigint): number => (one === other ? 0 : one < other ? -1 : 1);

/** The most valuable first; those without a price last. */
export function byValue(one: Pick<TokenHolding, 'totalUsd'>, other: Pick<TokenHolding, 'totalUsd'>): number {
  if (one.totalUsd === undefined || other.totalUsd === undefined)
    return compareFlags(one.totalUsd === undefined, other.totalUsd === undefined);
  return compare(other.totalUsd, one.totalUsd);
}
