import type { CustomerId } from '../auth/principal';
import { assertNotBlocked } from '../auth/sanctions';
import { pageBounds, type PageRequest, type Pagination, paginationOf } from '../actions/pagination';
import type { Database } from '../persistence/database';

export interface WalletDeps {
  readonly database: Database;
}

/** An address that a customer has queried or used. */
export interface WalletRecord {
  readonly address: string;
  readonly firstSeenAt: Date;
}

interface WalletReference {
  readonly customerId: CustomerId;
  readonly address: string;
}

type CheckedWalletDeps = WalletDeps & { readonly blockedAddresses: ReadonlySet<string> };

/** Stores the wallet for the customer, unless it is stored already, and returns it. @throws FORBIDDEN for a blocked wallet */
export async function registerWallet(
  { database, blockedAddresses }: CheckedWalletDeps,
  { customerId, address }: WalletReference,
): Promise<WalletRecord> {
  assertNotBlocked(blockedAddresses, [address]);
  const where = { customerId_address: { customerId, address } };
  const existing = await database.customerWallet.findUnique({ where });
  if (existing !== null) return recordOf(existing);
  await database.customerWallet.createMany({ data: [{ customerId, address }], skipDuplicates: true });
  return recordOf(await database.customerWallet.findUniqueOrThrow({ where }));
}

/** The stored wallet, or the address with the current time. Stores nothing. @throws FORBIDDEN for a blocked wallet */
export async function readWallet(deps: CheckedWalletDeps, wallet: WalletReference): Promise<WalletRecord> {
  const { customerId, address } = wallet;
  assertNotBlocked(deps.blockedAddresses, [address]);
  const [stored] = await findWallets(deps, { customerId, addresses: [address] });
  return stored ?? { address, firstSeenAt: new Date() };
}

/** The customer's wallets in the order of the addresses, `undefined` for missing ones. One query. */
export async function findWallets(
  { database }: WalletDeps,
  { customerId, addresses }: { readonly customerId: CustomerId; readonly addresses: readonly string[] },
): Promise<readonly (WalletRecord | undefined)[]> {
  const rows = await database.customerWallet.findMany({ where: { customerId, address: { in: [...addresses] } } });
  const byAddress = new Map(rows.map((row) => [row.address, recordOf(row)]));
  return addresses.map((address) => byAddress.get(address));
}

const LIMITS = { defaultLimit: 20, maximum: 100 };

/**
 * A page of the customer's wallets, the newest first.
 *
 * @throws VALIDATION_ERROR when `page` or `limit` (1 to 100, default 20) is out of range.
 */
export async function listWallets(
  { database }: WalletDeps,
  query: PageRequest & { readonly customerId: CustomerId },
): Promise<{ readonly data: readonly WalletRecord[]; readonly pagination: Pagination }> {
  const where = { customerId: query.customerId };
  const bounds = pageBounds(query, LIMITS);
  const [total, rows] = await database.$transaction([
    database.customerWallet.count({ where }),
    database.customerWallet.findMany({
      where,
      orderBy: [{ createdAt: 'desc' }, { address: 'asc' }],
      skip: (bounds.page - 1) * bounds.limit,
      take: bounds.limit,
    }),
  ]);
  return { data: rows.map(recordOf), pagination: paginationOf(bounds, total) };
}

const recordOf = ({ address, createdAt }: { readonly address: string; readonly createdAt: Date }): WalletRecord => ({
  address,
  firstSeenAt: createdAt,
});
