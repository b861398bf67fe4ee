import { customerLimitError } from '../auth/customer-limits';
import type { CustomerId } from '../auth/principal';
import { assertNotBlocked } from '../auth/sanctions';
import { pageBounds, type PageRequest, type Pagination, paginationOf } from '../actions/pagination';
import { customerLimitSql } from '../persistence/customer-limit';
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

type RegisterWalletDeps = CheckedWalletDeps & {
  /** Limit of the deployment, for customers without their own. */
  readonly maxRegisteredWallets: number;
};

/**
 * Stores the wallet for the customer, unless it is stored already, and returns it. At the limit of the customer a wallet that one
 * of its users has linked for payments is returned without being stored. Smart accounts and the wallets of actions are stored
 * when they are created.
 *
 * @throws FORBIDDEN for a blocked wallet; RATE_LIMIT_EXCEEDED for a new one above the limit of the customer
 */
export async function registerWallet(deps: RegisterWalletDeps, wallet: WalletReference): Promise<WalletRecord> {
  const { database, blockedAddresses } = deps;
  const { customerId, address } = wallet;
  assertNotBlocked(blockedAddresses, [address]);
  const existing = await database.customerWallet.findUnique({ where: { customerId_address: { customerId, address } } });
  return existing === null ? storeWithinLimit(deps, wallet) : recordOf(existing);
}

async function storeWithinLimit(
  { database, maxRegisteredWallets }: RegisterWalletDeps,
  { customerId, address }: WalletReference,
): Promise<WalletRecord> {
  const maximum = customerLimitSql(customerId, 'registeredWallets', { ofDeployment: maxRegisteredWallets });
  return database.$transaction(async (tx) => {
    // Concurrent requests of a customer wait for each other here, so that none of them exceeds the limit.
    await tx.$queryRaw`SELECT 1 FROM pg_advisory_xact_lock(hashtextextended(${`wallets of ${customerId}`}, 0))`;
    const [limit] = await tx.$queryRaw<[{ maximum: number; isReached: boolean }]>`
      SELECT bound.maximum, (SELECT count(*) FROM (SELECT 1 FROM "CustomerWallet" WHERE "customerId" = ${customerId}::uuid
                                                    LIMIT bound.maximum) AS stored) >= bound.maximum AS "isReached"
        FROM (SELECT ${maximum} AS maximum) AS bound`;
    const where = { customerId_address: { customerId, address } };
    const stored = limit.isReached ? await tx.customerWallet.findUnique({ where }) : null;
    if (stored !== null) return recordOf(stored);
    const linked = limit.isReached ? await tx.kycWallet.findUnique({ where }) : null;
    if (linked !== null) return { address, firstSeenAt: linked.linkedAt };
    if (limit.isReached) throw customerLimitError('registeredWallets', limit.maximum);
    await tx.customerWallet.createMany({ data: [{ customerId, address }], skipDuplicates: true });
    return recordOf(await tx.customerWallet.findUniqueOrThrow({ where }));
  });
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
