import { LRUCache } from 'lru-cache';
import type { CustomerId } from '../../auth/principal';
import type { WalletHoldings } from './holding';

/** Whose balances on which chain. The tokens that are read differ between customers. */
export interface HoldingsKey {
  readonly customerId: CustomerId;
  readonly chainId: number;
  readonly wallet: string;
}

/** Balances as they were read last. */
export interface StoredHoldings extends WalletHoldings {
  /** Milliseconds since 1970, by the clock of this process. */
  readonly readAt: number;
}

/** The last balances of wallets in this process, for the time in which a chain is unavailable. */
export interface LastHoldings {
  find(key: HoldingsKey): StoredHoldings | undefined;
  /** Stores the holdings unless better ones were stored recently: of a later block, or with tokens or amounts that these lack. */
  store(key: HoldingsKey, holdings: WalletHoldings): void;
}

/** Holdings of all wallets together; some tens of megabytes. */
const MAX_HOLDINGS = 100_000;
const MAX_WALLETS = 20_000;
const TTL_MS = 6 * 3_600_000;
/** How long a reading of an earlier block, or an incomplete one, does not replace a former one. */
const RECENT_MS = 600_000;

export function createLastHoldings({
  maxHoldings = MAX_HOLDINGS,
}: { readonly maxHoldings?: number } = {}): LastHoldings {
  const cache = new LRUCache<string, StoredHoldings>({
    max: MAX_WALLETS,
    maxSize: maxHoldings,
    sizeCalculation: ({ holdings }) => holdings.length + 1,
    ttl: TTL_MS,
  });
  return {
    find: (key) => cache.get(textOf(key)),
    store(key, holdings) {
      const text = textOf(key);
      const former = cache.get(text);
      if (former === undefined || !isBetter(former, holdings)) cache.set(text, { ...holdings, readAt: Date.now() });
    },
  };
}

const textOf = ({ customerId, chainId, wallet }: HoldingsKey): string => `${customerId}:${String(chainId)}:${wallet}`;

/** The amounts of a reading are of one block: those that it lacks are not taken over from a former one. */
function isBetter(former: StoredHoldings, { block, holdings, isTruncated }: WalletHoldings): boolean {
  // Also of a later block: a node that has returned a wrong number must not keep later readings out for hours.
  if (Date.now() - former.readAt > RECENT_MS) return false;
  if (former.block.number > block.number || (isTruncated && !former.isTruncated)) return true;
  const unread = new Set(holdings.filter(({ problem }) => problem === 'NOT_READ').map(({ token }) => token));
  return former.holdings.some(({ token, amount, isNative }) => !isNative && amount !== undefined && unread.has(token));
}
