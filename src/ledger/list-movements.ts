import type { CustomerId } from '../auth/principal';
import { customerLimitError } from '../auth/customer-limits';
import { checksumAddress, isAddress } from 'viem';
import { isNativeToken, NATIVE_TOKEN, parseSolanaAddress, WRAPPED_SOL, ZERO_ADDRESS } from '../chains/addresses';
import type { ChainTable } from '../chains/chain-table';
import { invariant } from '../errors/invariant-error';
import type { ServiceError } from '../errors/service-error';
import { validationError, type ValidationIssue } from '../errors/validation';
import { Prisma } from '../persistence/client/client';
import { customerLimitSql } from '../persistence/customer-limit';
import type { Database } from '../persistence/database';
import { TRANSFERS, type WatchSettings } from './ledger-deps';
import { decodeMovementCursor, encodeMovementCursor } from './movement-cursor';
import type { MovementConnection, MovementView } from './movement-view';
import type { OperationKind } from './operation-logs';
import type { MovementKind } from './record-movements';
import { listSolanaMovements } from './solana/list-solana-movements';

export interface MovementDeps {
  readonly database: Pick<Database, '$queryRaw' | '$executeRaw'>;
  readonly chains: ChainTable;
  readonly watch: WatchSettings;
  /** True for a chain whose transfers are recorded. */
  readonly isIndexed: (slug: string) => boolean;
}

/** The `first` movements behind the cursor `after`. */
export interface MovementFilter {
  /** 1 to 100, default 20. */
  readonly first?: number | null | undefined;
  readonly after?: string | null | undefined;
  readonly chainId?: number | null | undefined;
  /** Address of the token; NATIVE_TOKEN or the zero address for the native coin, the mint of its wrapper for SOL. */
  readonly token?: string | null | undefined;
}

export interface MovementQuery {
  readonly customerId: CustomerId;
  /** In the form in which wallets are stored. */
  readonly addresses: readonly string[];
  readonly filter: MovementFilter;
}

const [DEFAULT_FIRST, MAX_FIRST] = [20, 100];

interface Row {
  readonly wallet: string;
  readonly chainId: bigint;
  readonly blockNumber: bigint;
  readonly blockHash: string;
  readonly blockTime: Date;
  readonly txHash: string;
  readonly logIndex: number;
  readonly part: number;
  readonly kind: MovementKind;
  readonly token: string;
  readonly amount: string;
  readonly counterparty: string;
  readonly operation: OperationKind | null;
  readonly operationHash: string | null;
  readonly operationContract: string | null;
  readonly isFinal: boolean;
}

/**
 * The same slice of the movements of several wallets of a customer, in their order, the newest first. A wallet that the
 * customer does not watch has none. Neither has any wallet on a chain that is not recorded now.
 *
 * @throws VALIDATION_ERROR when an argument is out of range
 */
export async function listMovements(
  deps: MovementDeps,
  { customerId, addresses, filter }: MovementQuery,
): Promise<readonly MovementConnection[]> {
  const { chains, isIndexed } = deps;
  const parsed = parse(chains, filter);
  const onSolana = addresses.filter(isOnSolana);
  const chainIds = indexedSolanaIds({ chains, isIndexed }).filter((id) => [undefined, id].includes(parsed.chainId));
  const [evm, solana] = await Promise.all([
    listOnEvm(deps, { customerId, addresses: addresses.filter((address) => !isOnSolana(address)), filter: parsed }),
    onSolana.length === 0
      ? []
      : listSolanaMovements(deps, {
          ...parsed,
          token: parsed.token !== undefined && isNativeToken(parsed.token) ? WRAPPED_SOL : parsed.token,
          customerId,
          addresses: onSolana,
          chainIds,
        }),
  ]);
  const [nextOnEvm, nextOnSolana] = [evm[Symbol.iterator](), solana[Symbol.iterator]()];
  return addresses.map((address) => {
    const next = isOnSolana(address) ? nextOnSolana.next() : nextOnEvm.next();
    invariant(next.done !== true, 'every wallet has a list');
    return next.value;
  });
}

/** True for a key of Solana: wallets have no other kind of address but EVM ones. */
export const isOnSolana = (address: string): boolean =>
  !address.startsWith('0x') && parseSolanaAddress(address) !== undefined;

async function listOnEvm(
  { database, chains, isIndexed }: MovementDeps,
  { customerId, addresses, filter }: Omit<MovementQuery, 'filter'> & { readonly filter: ReturnType<typeof parse> },
): Promise<readonly MovementConnection[]> {
  if (addresses.length === 0) return [];
  const { first, after } = filter;
  const conditions = conditionsOf(filter);
  const indexed = indexedChainIds({ chains, isIndexed });
  if (indexed.length === 0) return addresses.map(() => connectionOf([], { first, hasPreviousPage: false }));
  const rows = await database.$queryRaw<Row[]>`
    SELECT wallet.address AS wallet, entry.*
      FROM "WatchedWallet" AS wallet
      JOIN "WalletWatch" AS watch ON watch."walletId" = wallet.id AND watch."customerId" = ${customerId}::uuid
     CROSS JOIN LATERAL (
       SELECT entry."chainId", entry."blockNumber", '0x' || encode(entry."blockHash", 'hex') AS "blockHash", entry."blockTime",
              '0x' || encode(entry."txHash", 'hex') AS "txHash", entry."logIndex", entry.part::int AS part, entry.kind, entry.token,
              entry.amount::text AS amount, entry.counterparty, entry.operation,
              '0x' || encode(entry."operationHash", 'hex') AS "operationHash", entry."operationContract", entry."blockNumber" <= place."finalNumber" AS "isFinal"
         FROM "LedgerEntry" AS entry
         JOIN "IndexCursor" AS place
           ON place."chainId" = entry."chainId" AND place.stream = ${TRANSFERS} AND entry."blockNumber" <= place.number
         JOIN "WalletCoverage" AS coverage
           ON coverage."customerId" = watch."customerId" AND coverage."walletId" = wallet.id
          AND coverage."chainId" = entry."chainId" AND entry."blockNumber" >= coverage."visibleFrom"
          AND entry."blockNumber" >= coalesce(coverage.earliest, 0)
        WHERE entry."walletId" = wallet.id AND entry."chainId" = ANY (${[...indexed]}::bigint[]) ${conditions}
        ORDER BY entry."blockTime" DESC, entry."chainId" DESC, entry."blockNumber" DESC, entry."logIndex" DESC, entry.part DESC
        LIMIT ${first + 1}) AS entry
     WHERE wallet.address = ANY (${addresses.map((address) => address.toLowerCase())}::text[])
     ORDER BY wallet.address, entry."blockTime" DESC, entry."chainId" DESC, entry."blockNumber" DESC, entry."logIndex" DESC,
              entry.part DESC`;
  const byWallet = new Map<string, Row[]>();
  for (const row of rows) byWallet.set(row.wallet, [...(byWallet.get(row.wallet) ?? []), row]);
  return addresses.map((address) =>
    connectionOf(byWallet.get(address.toLowerCase()) ?? [], { first, hasPreviousPage: after !== undefined }),
  );
}

type IndexedDeps = Pick<MovementDeps, 'chains' | 'isIndexed'>;

const idsOfKind = ({ chains, isIndexed }: IndexedDeps, wanted: 'evm' | 'solana'): readonly number[] =>
  chains.all.filter(({ kind, slug }) => kind === wanted && isIndexed(slug)).map(({ chainId }) => chainId);

/** Ids of the EVM chains whose transfers are recorded; none while the ledger is switched off. */
export const indexedChainIds = (deps: IndexedDeps): readonly number[] => idsOfKind(deps, 'evm');

/** Ids of the Solana chains whose movements are recorded. */
export const indexedSolanaIds = (deps: IndexedDeps): readonly number[] => idsOfKind(deps, 'solana');

function parse(chains: ChainTable, filter: MovementFilter) {
  const { first, chainId, token, after } = givenFilter(filter);
  const issues: ValidationIssue[] = [];
  if (first < 1 || first > MAX_FIRST) {
    issues.push({ path: 'first', message: `must be between 1 and ${String(MAX_FIRST)}` });
  }
  if (chainId !== undefined && !isRecordable(chains, chainId)) {
    issues.push({ path: 'chainId', message: 'must be the id of a supported EVM or Solana chain' });
  }
  if (token !== undefined && !isAddress(token, { strict: false }) && !isOnSolana(token)) {
    issues.push({ path: 'token', message: 'must be the address of an EVM contract or a mint on Solana' });
  }
  if (issues.length > 0) throw validationError(issues);
  return { first, after, chainId, token };
}

const givenFilter = ({ first, chainId, token, after }: MovementFilter) => ({
  first: first ?? DEFAULT_FIRST,
  chainId: chainId ?? undefined,
  token: token ?? undefined,
  after: after ?? undefined,
});

const isRecordable = (chains: ChainTable, chainId: number): boolean =>
  ['evm', 'solana'].includes(chains.byId(chainId)?.kind ?? '');

const tokenKey = (token: string): string => (token === ZERO_ADDRESS ? NATIVE_TOKEN : token).toLowerCase();

function conditionsOf({
  after,
  chainId,
  token,
}: {
  readonly after: string | undefined;
  readonly chainId: number | undefined;
  readonly token: string | undefined;
}): Prisma.Sql {
  const ofChain = chainId === undefined ? Prisma.empty : Prisma.sql`AND entry."chainId" = ${chainId}`;
  const ofToken = token === undefined ? Prisma.empty : Prisma.sql`AND entry.token = ${tokenKey(token)}`;
  if (after === undefined) return Prisma.sql`${ofChain} ${ofToken}`;
  const place = decodeMovementCursor(after);
  return Prisma.sql`${ofChain} ${ofToken}
    AND (entry."blockTime", entry."chainId", entry."blockNumber", entry."logIndex", entry.part)
        < (${place.blockTime}, ${place.chainId}::bigint, ${place.blockNumber}::bigint, ${place.logIndex}::int,
           ${place.part}::smallint)`;
}

function connectionOf(
  rows: readonly Row[],
  { first, hasPreviousPage }: { readonly first: number; readonly hasPreviousPage: boolean },
): MovementConnection {
  const edges = rows.slice(0, first).map((row) => {
    const node = movementView(row);
    return { cursor: encodeMovementCursor({ ...row, chainId: node.chainId }), node };
  });
  const pageInfo = {
    hasNextPage: rows.length > first,
    hasPreviousPage,
    startCursor: edges[0]?.cursor ?? null,
    endCursor: edges.at(-1)?.cursor ?? null,
  };
  return { edges, nodes: edges.map(({ node }) => node), pageInfo };
}

const movementView = (row: Row): MovementView => ({
  chainId: Number.parseInt(row.chainId.toString(), 10),
  blockNumber: Number.parseInt(row.blockNumber.toString(), 10),
  blockHash: row.blockHash,
  blockTime: row.blockTime,
  txHash: row.txHash,
  logIndex: row.logIndex < 0 ? null : row.logIndex,
  kind: row.kind,
  token: addressView(row.token),
  amount: BigInt(row.amount),
  counterparty: addressView(row.counterparty),
  operation: row.operation,
  operationHash: row.operationHash,
  operationContract: row.operationContract === null ? null : addressView(row.operationContract),
  isFinal: row.isFinal,
});

const addressView = (address: string): string =>
  isAddress(address, { strict: false }) ? checksumAddress(address) : address;

/** The error of each wallet, by its address, that is not watched because of the limit of the customer. */
export async function findRefusals(
  { database, watch }: MovementDeps,
  { customerId, addresses }: Pick<MovementQuery, 'customerId' | 'addresses'>,
): Promise<ReadonlyMap<string, ServiceError>> {
  const maximum = customerLimitSql(customerId, 'watchedWallets', { ofDeployment: watch.maxWatchedWallets });
  const refused = await database.$queryRaw<{ address: string; maximum: number }[]>`
    SELECT address, ${maximum} AS maximum FROM "WatchRequest"
     WHERE "customerId" = ${customerId}::uuid AND address = ANY (${[...addresses]}::text[]) AND "refusedAt" IS NOT NULL`;
  return new Map(refused.map((row) => [row.address, customerLimitError('watchedWallets', row.maximum)]));
}
