import type { Pool } from 'pg';
import { z } from 'zod';
import { TRANSFERS } from './ledger-deps';
import type { LedgerReport, LedgerState, LedgerStatus } from './ledger-report';
import { solanaLedgerStates } from './solana/solana-coverage';
import type { BackfillState } from './wallet-backfill';

/** Parses a row of `STATES`. */
export const stateRowSchema = z.object({
  chainId: z.number(),
  state: z.enum(['reading', 'stopped', 'unsupported']),
  reason: z.string().nullable(),
  blockNumber: z.number(),
  finalNumber: z.number(),
  headNumber: z.number(),
  lagSeconds: z.number(),
  uncheckedSeconds: z.number(),
  quarantined: z.number(),
  isIdle: z.boolean(),
});
type Row = z.infer<typeof stateRowSchema>;

/** The states of all chains. Its parameter is the stream. */
export const STATES = `
  SELECT cursor."chainId"::float8 AS "chainId", state, reason, number::float8 AS "blockNumber",
         "finalNumber"::float8 AS "finalNumber", "headNumber"::float8 AS "headNumber",
         greatest(0, floor(extract(epoch FROM now() - "blockTime")))::float8 AS "lagSeconds",
         greatest(0, floor(extract(epoch FROM now() - "checkedAt")))::float8 AS "uncheckedSeconds",
         (SELECT count(*)::int FROM "Quarantine" AS item
           WHERE item."chainId" = cursor."chainId" AND item.stage = 'ledger') AS quarantined,
         NOT EXISTS (SELECT 1 FROM "WatchedWallet") AS "isIdle"
    FROM "IndexCursor" AS cursor WHERE stream = $1 ORDER BY cursor."chainId"`;

const BACKFILLS = `
  SELECT "chainId"::float8 AS "chainId", state, count(*)::int AS count FROM "WalletBackfill" GROUP BY "chainId", state`;
const backfillsSchema = z.array(
  z.object({ chainId: z.number(), state: z.enum(['walking', 'proven', 'unproven']), count: z.number() }),
);

/** The ledger of each chain that was started. */
export async function ledgerStates(pool: Pick<Pool, 'query'>): Promise<readonly LedgerReport[]> {
  const [evm, solana] = await Promise.all([evmLedgerStates(pool), solanaLedgerStates(pool)]);
  return [...evm, ...solana].sort((one, other) => one.chainId - other.chainId);
}

async function evmLedgerStates(pool: Pick<Pool, 'query'>): Promise<readonly LedgerReport[]> {
  const [states, counted] = await Promise.all([pool.query(STATES, [TRANSFERS]), pool.query(BACKFILLS)]);
  const counts = backfillsSchema.parse(counted.rows);
  return z
    .array(stateRowSchema)
    .parse(states.rows)
    .map(ledgerState)
    .map((state) => {
      const own = counts.filter(({ chainId }) => chainId === state.chainId);
      const countOf = (wanted: BackfillState): number => own.find((each) => each.state === wanted)?.count ?? 0;
      const backfills = { walking: countOf('walking'), proven: countOf('proven'), unproven: countOf('unproven') };
      return { ...state, backfills };
    });
}

/** Beyond these a ledger is behind, or stalled. */
const [MAX_LAG_BLOCKS, MAX_LAG_SECONDS, MAX_UNCHECKED_SECONDS] = [60, 120, 90];

/** The state of a chain from its row. */
export const ledgerState = ({ state, reason, uncheckedSeconds, isIdle, ...row }: Row): LedgerState => ({
  ...row,
  lagBlocks: Math.max(0, row.headNumber - row.blockNumber),
  status: statusOf({ state, uncheckedSeconds, isIdle, ...row }),
  reason: reason ?? undefined,
});

function statusOf(row: Omit<Row, 'reason'>): LedgerStatus {
  if (row.isIdle) return 'idle';
  if (row.state !== 'reading') return row.state;
  if (row.uncheckedSeconds > MAX_UNCHECKED_SECONDS) return 'stalled';
  const isBehind = row.headNumber - row.blockNumber > MAX_LAG_BLOCKS || row.lagSeconds > MAX_LAG_SECONDS;
  return isBehind ? 'behind' : 'ok';
}
