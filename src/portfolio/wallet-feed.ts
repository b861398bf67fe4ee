import type { Logger } from 'pino';
import { type ChangeWatch, createChangeFeed } from '../async/change-feed';
import { createSharedCapacity } from '../async/shared-capacity';
import { customerLimitError, type FindCustomerLimit } from '../auth/customer-limits';
import type { CustomerId } from '../auth/principal';
import { describeFailure } from '../errors/describe-failure';
import { isOnSolana } from '../ledger/list-movements';
import { requestWatches } from '../ledger/watch-wallets';
import { runForService } from '../persistence/customer-scope';
import type { Database } from '../persistence/database';
import { readWalletBases, type SnapshotStoreDeps } from '../snapshots/snapshot-store';

export interface WalletFeedDeps extends SnapshotStoreDeps {
  readonly log?: Pick<Logger, 'warn'> | undefined;
  /** Milliseconds between two polls of the watched wallets. */
  readonly pollMs?: number;
  /** Maximum concurrent watches of this process, per customer and in total. */
  readonly capacity?: { readonly perCustomer: number; readonly total: number };
}

interface WalletReference {
  readonly customerId: CustomerId;
  /** Canonical address. */
  readonly address: string;
}

/** Notifies the watches of this process of changed wallets, with one statement at a time for up to 500 of them. */
export interface WalletFeed {
  /** The state that a watch compares. */
  stateOf(wallet: WalletReference): Promise<string>;
  /**
   * `maximum`: watches that the customer may have.
   *
   * @throws RATE_LIMIT_EXCEEDED when the customer has too many watches; SERVICE_UNAVAILABLE when the process has.
   */
  watch(wallet: WalletReference, maximum?: number): ChangeWatch;
}

const CAPACITY = { perCustomer: 1000, total: 10_000 };

const FULL = 'too many subscriptions to wallets are open. Retry later';

const keyOf = ({ customerId, address }: WalletReference): string => `${customerId} ${address}`;

const referenceOf = (key: string): WalletReference => {
  const [customerId = '', address = ''] = key.split(' ');
  return { customerId: customerId as CustomerId, address };
};

export function createWalletFeed({ pollMs, capacity = CAPACITY, ...deps }: WalletFeedDeps): WalletFeed {
  const customerError = (maximum: number) => customerLimitError('actionWatches', maximum);
  const places = createSharedCapacity({ ...capacity, customerError, full: FULL });
  const readVersions = async (keys: readonly string[]): Promise<ReadonlyMap<string, string>> => {
    const bases = await readWalletBases(deps, keys.map(referenceOf));
    return new Map(keys.map((key, index) => [key, bases[index] ?? '']));
  };
  const feed = createChangeFeed({
    pollMs,
    // The poll goes on after the subscription that has started it, for those of other customers.
    readVersions: (keys) => runForService('subscriptions', () => readVersions(keys)),
    onFailure: (error) => deps.log?.warn({ cause: describeFailure(error) }, 'the changes of wallets could not be read'),
  });
  return {
    stateOf: async (wallet) => (await readVersions([keyOf(wallet)])).get(keyOf(wallet)) ?? '',
    watch: (wallet, maximum) => feed.watch(keyOf(wallet), places.take(wallet.customerId, 1, maximum)),
  };
}

export interface WatchWalletDeps<Wallet> {
  readonly database: Pick<Database, '$executeRaw'>;
  readonly feed: WalletFeed;
  readonly findLimit: FindCustomerLimit;
  /** The wallet, registered for the customer when the caller may do that. @throws FORBIDDEN, RATE_LIMIT_EXCEEDED */
  readonly readWallet: (wallet: WalletReference) => Promise<Wallet>;
}

export interface WalletWatchRequest extends WalletReference {
  /** True when the caller may add wallets: the movements of the wallet are recorded from now on. */
  readonly mayWatch: boolean;
  /** Ends the watch. */
  readonly signal: AbortSignal;
}

/**
 * Yields the wallet now and after each change of its actions, its pinned tokens or its recorded movements, until the signal
 * aborts. Changes in quick succession may be reported as one.
 *
 * @throws FORBIDDEN for a blocked wallet; RATE_LIMIT_EXCEEDED when the customer has too many wallets or watches;
 *   SERVICE_UNAVAILABLE when the process has too many watches.
 */
export async function watchWallet<Wallet>(
  deps: WatchWalletDeps<Wallet>,
  request: WalletWatchRequest,
): Promise<AsyncGenerator<Wallet>> {
  const { customerId, address, mayWatch } = request;
  const wallet = await deps.readWallet({ customerId, address });
  if (mayWatch && !isOnSolana(address)) await requestWatches(deps.database, { customerId, addresses: [address] });
  return changesOf(deps, request, wallet);
}

async function* changesOf<Wallet>(
  { feed, findLimit }: WatchWalletDeps<Wallet>,
  { signal, customerId, address }: WalletWatchRequest,
  wallet: Wallet,
): AsyncGenerator<Wallet> {
  const maximum = await findLimit(customerId, 'actionWatches');
  const watch = feed.watch({ customerId, address }, maximum);
  signal.addEventListener('abort', watch.close, { once: true }); // also when the consumer never requests the next change
  try {
    let shown: string | undefined;
    while (!signal.aborted) {
      const state = await feed.stateOf({ customerId, address });
      if (state !== shown) yield wallet;
      shown = state;
      await watch.changed(signal);
    }
  } finally {
    signal.removeEventListener('abort', watch.close);
    watch.close();
  }
}
