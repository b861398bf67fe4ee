import type { Pool } from 'pg';
import type { CustomerId } from '../auth/principal';
import type { ChainTable } from '../chains/chain-table';
import { z } from 'zod';
import { TRANSFERS } from './ledger-deps';
import type { MovementCoverage } from './movement-coverage';
import { ledgerState, stateRowSchema, STATES } from './ledger-states';
import { indexedSolanaIds, isOnSolana } from './list-movements';
import { listSolanaCoverage } from './solana/solana-coverage';

export interface CoverageDeps {
  readonly pool: Pick<Pool, 'query'>;
  readonly chains: ChainTable;
  readonly isIndexed: (slug: string) => boolean;
}

const rowsSchema = z.array(
  stateRowSchema.extend({
    wallet: z.string(),
    fromBlock: z.number().nullable(),
    coinFromBlock: z.number().nullable(),
    historyFromBlock: z.number().nullable(),
    history: z.enum(['walking', 'proven', 'unproven']).nullable(),
    incomplete: z.number(),
    isSuspended: z.boolean(),
  }),
);
type Row = z.infer<typeof rowsSchema>[number];

/**
 * One statement, so that cursor and incomplete blocks are of the same moment. What was read because another customer watches the
 * wallet is not shown: neither blocks before those of the customer itself, nor that they are read already.
 */
const COVERAGES = `
  WITH state AS (${STATES})
  SELECT state.*, wallet.address AS wallet, shown."fromBlock"::float8 AS "fromBlock",
         CASE WHEN coverage."fromBlock" IS NOT NULL AND place."coinHash" = place.hash
              THEN greatest(coverage."coinFromBlock", place."coinFromBlock")::float8 END AS "coinFromBlock",
         shown."historyFromBlock"::float8 AS "historyFromBlock",
         CASE WHEN shown."historyFromBlock" > greatest(own.lowest, coverage.earliest) THEN 'walking' ELSE own.state END AS history,
         wallet."suspendedAt" IS NOT NULL AS "isSuspended",
         (SELECT count(*)::int FROM "Quarantine" AS item
           WHERE item."chainId" = coverage."chainId" AND item.stage = 'ledger'
             AND item."blockNumber" >= shown."fromBlock") AS incomplete
    FROM "WatchedWallet" AS wallet
    JOIN "WalletCoverage" AS coverage ON coverage."walletId" = wallet.id AND coverage."customerId" = $2::uuid
    JOIN state ON state."chainId" = coverage."chainId"
    JOIN "IndexCursor" AS place ON place."chainId" = coverage."chainId" AND place.stream = $1
    LEFT JOIN "WalletBackfill" AS own
      ON own."walletId" = wallet.id AND own."chainId" = coverage."chainId" AND coverage."fromBlock" IS NOT NULL
   CROSS JOIN LATERAL (
     SELECT CASE WHEN coverage."fromBlock" IS NOT NULL
                 THEN greatest(coverage."fromBlock", coverage."visibleFrom", coverage.earliest) END AS "fromBlock",
            CASE WHEN own.lowest IS NOT NULL
                 THEN greatest(own.lowest, coverage.earliest, coverage."visibleFrom") END AS "historyFromBlock"
   ) AS shown
   WHERE wallet.address = ANY ($3::text[])
   ORDER BY coverage."chainId"`;

/** The coverage of several wallets of a customer, in their order. A wallet that the customer does not watch has none. */
export async function listCoverage(
  deps: CoverageDeps,
  request: { readonly customerId: CustomerId; readonly addresses: readonly string[] },
): Promise<readonly (readonly MovementCoverage[])[]> {
  const chainIds = indexedSolanaIds(deps);
  const [evm, solana] = await Promise.all([
    listOnEvm(deps, request),
    chainIds.length === 0 || !request.addresses.some(isOnSolana)
      ? undefined
      : listSolanaCoverage(deps, { ...request, chainIds }),
  ]);
  return evm.map((coverage, index) => [...coverage, ...(solana?.[index] ?? [])]);
}

async function listOnEvm(
  { pool, chains, isIndexed }: CoverageDeps,
  { customerId, addresses }: { readonly customerId: CustomerId; readonly addresses: readonly string[] },
): Promise<readonly (readonly MovementCoverage[])[]> {
  const wallets = addresses.map((address) => address.toLowerCase());
  const result = await pool.query(COVERAGES, [TRANSFERS, customerId, wallets]);
  const rows = rowsSchema.parse(result.rows).filter(({ chainId }) => {
    const slug = chains.byId(chainId)?.slug;
    return slug !== undefined && isIndexed(slug);
  });
  return wallets.map((wallet) => rows.filter((row) => row.wallet === wallet).map(coverageView));
}

function coverageView({ fromBlock, incomplete, isSuspended, ...row }: Row): MovementCoverage {
  const state = ledgerState(row);
  // After a reorganisation or during a replay the ledger may be in front of the first block.
  const isStarted = fromBlock !== null && fromBlock <= state.blockNumber && !isSuspended;
  return {
    chainId: state.chainId,
    fromBlock,
    coinFromBlock: row.coinFromBlock,
    historyFromBlock: row.historyFromBlock,
    history: row.history,
    toBlock: isStarted ? state.blockNumber : null,
    incompleteBlocks: incomplete,
    isComplete: isStarted && incomplete === 0 && state.status === 'ok',
    status: isSuspended ? 'suspended' : state.status,
    lagBlocks: state.lagBlocks,
    lagSeconds: state.lagSeconds,
  };
}
