import type { CustomerId } from '../auth/principal';
import { assertNotBlocked } from '../auth/sanctions';
import type { ChainTable } from '../chains/chain-table';
import { Prisma } from '../persistence/client/client';
import type { ActionStatus } from '../persistence/client/enums';
import type { Database } from '../persistence/database';
import { ACTION_COLUMNS, parseActionRow } from './action-row';
import { type ActionView, actionView } from './action-view';
import type { ActionType } from '../transactions/action-plan';
import { type PageBounds, pageBounds, type PageRequest, type Pagination, paginationOf } from './pagination';

export interface ActionDeps {
  readonly database: Database;
  readonly chains: ChainTable;
}

export const ACTION_SORT_FIELDS = ['createdAt', 'updatedAt', 'finishedAt'] as const;
export type ActionSortField = (typeof ACTION_SORT_FIELDS)[number];
export type SortOrder = 'asc' | 'desc';

/**
 * Selects and sorts the actions of a wallet. Default: all but drafts, newest first. Drafts are included with the status
 * `INITIAL` alone: a page that refreshes its quote makes one each time.
 */
export interface ActionFilter extends PageRequest {
  readonly status?: ActionStatus | null | undefined;
  readonly type?: ActionType | null | undefined;
  readonly sortBy?: ActionSortField | null | undefined;
  readonly sortOrder?: SortOrder | null | undefined;
}

export interface ActionList {
  readonly data: readonly ActionView[];
  readonly pagination: Pagination;
}

const LIMITS = { defaultLimit: 20, maximum: 100 };

/**
 * A page of the actions that a wallet sent or receives.
 *
 * @throws FORBIDDEN for a blocked wallet; VALIDATION_ERROR when `page` or `limit` (1 to 100, default 20) is out of range.
 */
export async function listActions(
  deps: ActionDeps & { readonly blockedAddresses: ReadonlySet<string> },
  query: ActionFilter & { readonly customerId: CustomerId; readonly walletAddress: string },
): Promise<ActionList> {
  const { customerId, walletAddress } = query;
  assertNotBlocked(deps.blockedAddresses, [walletAddress]);
  const lists = await listActionsOfWallets(deps, { customerId, walletAddresses: [walletAddress], filter: query });
  return lists[0] ?? { data: [], pagination: paginationOf(pageBounds(query, LIMITS), 0) };
}

/** The same page of several wallets, in their order, with one query for all pages and counts. */
export async function listActionsOfWallets(
  { database, chains }: ActionDeps,
  query: {
    readonly customerId: CustomerId;
    readonly walletAddresses: readonly string[];
    readonly filter: ActionFilter;
  },
): Promise<readonly ActionList[]> {
  const { customerId, walletAddresses, filter } = query;
  const bounds = pageBounds(filter, LIMITS);
  const rows = await database.$queryRaw<({ position: bigint; total: bigint; id: string | null } & object)[]>`
    SELECT wallet.position, counted.total, page.*
      FROM unnest(${[...walletAddresses]}::text[]) WITH ORDINALITY AS wallet(address, position)
     CROSS JOIN LATERAL (
       SELECT count(*) AS total FROM "Action" AS action
        WHERE action."customerId" = ${customerId}::uuid AND action."isDraft" = ANY(${draftValues(filter)})
              ${conditions(filter)} AND (${SENT} OR (${RECEIVED}))
     ) AS counted
      LEFT JOIN LATERAL (
        SELECT ${ACTION_COLUMNS} FROM (${sentOrReceived(customerId, { filter, bounds })}) AS action
         ORDER BY ${ordering(filter)} LIMIT ${bounds.limit} OFFSET ${offsetOf(bounds)}
      ) AS page ON true
     ORDER BY wallet.position, ${ordering(filter, Prisma.sql`page`)}`;
  return walletAddresses.map((_, index) => {
    const own = rows.filter(({ position }) => position === BigInt(index + 1));
    const found = own.filter(({ id }) => id !== null).map((row) => actionView(chains, parseActionRow(row)));
    return listOf(bounds, found, own[0]?.total ?? 0n);
  });
}

const listOf = (bounds: PageBounds, data: readonly ActionView[], total: bigint): ActionList => ({
  data,
  pagination: paginationOf(bounds, Number.parseInt(total.toString(), 10)),
});

const offsetOf = ({ page, limit }: PageBounds): bigint => BigInt(page - 1) * BigInt(limit);

const SENT = Prisma.sql`action."originAddress" = wallet.address`;
/** Actions from other wallets alone, which have an index of their own. */
const RECEIVED = Prisma.sql`
  action."receiverAddress" = wallet.address AND action."originAddress" <> action."receiverAddress"`;

/**
 * The first actions of a wallet, up to the end of the page. Each branch is sorted and limited by an index, so that a page
 * of a busy wallet does not sort all its actions.
 */
function sentOrReceived(
  customerId: CustomerId,
  { filter, bounds }: { readonly filter: ActionFilter; readonly bounds: PageBounds },
): Prisma.Sql {
  const branch = (isOfWallet: Prisma.Sql, isDraft: boolean): Prisma.Sql => Prisma.sql`
    (SELECT action.* FROM "Action" AS action
      WHERE action."customerId" = ${customerId}::uuid AND ${isOfWallet} AND action."isDraft" = ${isDraft}
            ${conditions(filter)}
      ORDER BY ${ordering(filter)} LIMIT ${offsetOf(bounds) + BigInt(bounds.limit)})`;
  const branches = draftValues(filter).flatMap((isDraft) => [branch(SENT, isDraft), branch(RECEIVED, isDraft)]);
  return Prisma.join(branches, ' UNION ALL ');
}

/** Values of `isDraft` that a list contains. */
const draftValues = ({ status }: ActionFilter): boolean[] => (status === 'INITIAL' ? [false, true] : [false]);

function conditions(filter: ActionFilter): Prisma.Sql {
  const status = filter.status ?? undefined;
  const type = filter.type ?? undefined;
  const byStatus = status === undefined ? Prisma.empty : Prisma.sql`AND action.status = ${status}::"ActionStatus"`;
  return type === undefined ? byStatus : Prisma.sql`${byStatus} AND action.type = ${type}`;
}

/** Ids start with the time and make the order of simultaneous actions stable. Unfinished actions come last. */
function ordering({ sortBy, sortOrder }: ActionFilter, rows = Prisma.sql`action`): Prisma.Sql {
  const column = SORT_COLUMNS[sortBy ?? 'createdAt'];
  const direction = Prisma.raw(sortOrder === 'asc' ? 'ASC' : 'DESC');
  const nulls = sortBy === 'finishedAt' ? Prisma.raw('NULLS LAST') : Prisma.empty;
  return Prisma.sql`${rows}.${column} ${direction} ${nulls}, ${rows}.id ${direction}`;
}

const SORT_COLUMNS: Readonly<Record<ActionSortField, Prisma.Sql>> = {
  createdAt: Prisma.raw('"createdAt"'),
  updatedAt: Prisma.raw('"updatedAt"'),
  finishedAt: Prisma.raw('"finishedAt"'),
};
