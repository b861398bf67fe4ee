import type { CustomerId } from '../../auth/principal';
import { Prisma } from '../../persistence/client/client';
import type { Database } from '../../persistence/database';
import type { MovementConnection, MovementView } from '../movement-view';
import type { MovementKind } from '../record-movements';
import { decodeSolanaCursor, encodeSolanaCursor } from './solana-movement-cursor';

/** The same slice of the movements of several Solana wallets of a customer. */
export interface SolanaMovementQuery {
  readonly customerId: CustomerId;
  readonly addresses: readonly string[];
  /** Chains whose movements are recorded, of those that the caller wants. */
  readonly chainIds: readonly number[];
  /** Mint; that of wrapped SOL for SOL as well. */
  readonly token: string | undefined;
  readonly first: number;
  readonly after: string | undefined;
}

interface Row {
  readonly wallet: string;
  readonly chainId: bigint;
  readonly signature: string;
  readonly position: number;
  readonly slot: bigint;
  readonly blockTime: Date;
  readonly token: string;
  readonly kind: MovementKind;
  readonly amount: string;
  readonly counterparty: string;
}

/**
 * The movements of each wallet, in the order of the addresses, the newest first. A wallet that the customer does not watch has
 * none.
 *
 * @throws VALIDATION_ERROR for a text that is no cursor
 */
export async function listSolanaMovements(
  { database }: { readonly database: Pick<Database, '$queryRaw'> },
  { customerId, addresses, chainIds, token, first, after }: SolanaMovementQuery,
): Promise<readonly MovementConnection[]> {
  const ofToken = token === undefined ? Prisma.empty : Prisma.sql`AND moved.token = ${token}`;
  const rows = await database.$queryRaw<Row[]>`
    SELECT wallet.address AS wallet, wallet."chainId", moved.*
      FROM "SolanaWallet" AS wallet
      JOIN "SolanaWatch" AS watch ON watch."walletId" = wallet.id AND watch."customerId" = ${customerId}::uuid
     CROSS JOIN LATERAL (
       SELECT moved.signature, moved.position::int AS position, moved.slot, moved."blockTime", moved.token, moved.kind,
              moved.amount::text AS amount, moved.counterparty
         FROM "SolanaMovement" AS moved
        WHERE moved."walletId" = wallet.id ${ofToken} ${olderThan(after)}
        ORDER BY moved.slot DESC, moved.signature DESC, moved.position DESC
        LIMIT ${first + 1}) AS moved
     WHERE wallet.address = ANY (${[...addresses]}::text[]) AND wallet."chainId" = ANY (${[...chainIds]}::bigint[])
     ORDER BY wallet.address, moved.slot DESC, moved.signature DESC, moved.position DESC`;
  const byWallet = new Map<string, Row[]>();
  for (const row of rows) byWallet.set(row.wallet, [...(byWallet.get(row.wallet) ?? []), row]);
  return addresses.map((address) => connectionOf(byWallet.get(address) ?? [], first, after !== undefined));
}

function olderThan(after: string | undefined): Prisma.Sql {
  if (after === undefined) return Prisma.empty;
  const { slot, signature, position } = decodeSolanaCursor(after);
  return Prisma.sql`
    AND (moved.slot, moved.signature, moved.position) < (${slot}::bigint, ${signature}, ${position}::smallint)`;
}

function connectionOf(rows: readonly Row[], first: number, hasPreviousPage: boolean): MovementConnection {
  const edges = rows.slice(0, first).map((row) => ({ cursor: encodeSolanaCursor(row), node: viewOf(row) }));
  const pageInfo = {
    hasNextPage: rows.length > first,
    hasPreviousPage,
    startCursor: edges[0]?.cursor ?? null,
    endCursor: edges.at(-1)?.cursor ?? null,
  };
  return { edges, nodes: edges.map(({ node }) => node), pageInfo };
}

const viewOf = ({ chainId, slot, blockTime, signature, kind, token, amount, counterparty }: Row): MovementView => ({
  chainId: Number.parseInt(chainId.toString(), 10),
  blockNumber: Number.parseInt(slot.toString(), 10),
  blockHash: null,
  blockTime,
  txHash: signature,
  logIndex: null,
  kind,
  token,
  amount: BigInt(amount),
  counterparty,
  operation: null,
  operationHash: null,
  operationContract: null,
  isFinal: true,
});
