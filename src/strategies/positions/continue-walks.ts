import type { Address } from 'viem';
import { anySignal } from '../../async/any-signal';
import { rejectOnAbort } from '../../async/race-abort';
import type { CustomerId } from '../../auth/principal';
import type { Database } from '../../persistence/database';
import { describeFailure } from '../../errors/describe-failure';
import type { PositionDeps } from './position-deps';
import { noteRead } from './unread-positions';
import { walkPositions } from './walk-positions';

/** Positions of one wallet on one chain whose histories are incomplete. */
interface DueWalk {
  readonly customerId: string;
  readonly wallet: string;
  readonly chainId: bigint;
}

/** Longer than a walk. */
const FIRST_DELAY_SECONDS = 60;
const MAX_DELAY_SECONDS = 3600;
/** Ranges and time of one wallet before it is the turn of others. */
const MAX_RANGES = 60;
const WALK_TIMEOUT_MS = 20_000;
const HEAD_TIMEOUT_MS = 10_000;
/** No further positions are begun after this time: the next run of the job continues. */
const RUN_MS = 40_000;
const CONCURRENT = 4;

/** Continues incomplete histories of positions, one wallet of each customer in turn. Returns the number of walks. */
export async function continueWalks(deps: PositionDeps, signal: AbortSignal): Promise<number> {
  const until = Date.now() + RUN_MS;
  let walks = 0;
  while (Date.now() < until && !signal.aborted) {
    const due = await findDue(deps.database);
    if (due.length === 0) break;
    for (let start = 0; start < due.length && Date.now() < until; start += CONCURRENT) {
      const group = due.slice(start, start + CONCURRENT);
      await Promise.all(group.map((one) => continueOne(deps, one, signal)));
      walks += group.length;
    }
  }
  return walks;
}

/** The longest waiting wallet of each customer. */
const findDue = (database: Database): Promise<readonly DueWalk[]> =>
  database.$queryRaw<DueWalk[]>`
    SELECT due."customerId", due.wallet, due."chainId"
      FROM "Customer" AS customer
     CROSS JOIN LATERAL (
       SELECT cursor."customerId", cursor.wallet, cursor."chainId", cursor."nextWalkAt" FROM "PositionCursor" AS cursor
        WHERE cursor."customerId" = customer.id AND cursor."nextWalkAt" <= now()
        ORDER BY cursor."nextWalkAt" LIMIT 1) AS due
     ORDER BY due."nextWalkAt" LIMIT 100`;

/**
 * Takes the due positions of a wallet and chain, so that no other worker does. One that stores nothing, because its worker has
 * died or its chain does not respond, is due again after a time that grows with each failure; progress makes it due at once.
 */
async function claim(database: Database, { customerId, wallet, chainId }: DueWalk): Promise<readonly string[]> {
  const rows = await database.$queryRaw<{ readonly strategyId: string }[]>`
    UPDATE "PositionCursor"
       SET failures = failures + 1,
           "nextWalkAt" = now() + make_interval(secs => least(${FIRST_DELAY_SECONDS} * 2 ^ least(failures, 10), ${MAX_DELAY_SECONDS}))
     WHERE "customerId" = ${customerId}::uuid AND wallet = ${wallet} AND "chainId" = ${chainId} AND "nextWalkAt" <= now()
     RETURNING "strategyId"`;
  return rows.map(({ strategyId }) => strategyId);
}

/** A failure concerns this wallet only. */
async function continueOne(deps: PositionDeps, due: DueWalk, signal: AbortSignal): Promise<void> {
  try {
    const ids = new Set(await claim(deps.database, due));
    if (ids.size === 0) return;
    await walkClaimed(deps, { due, ids }, signal);
  } catch (error) {
    const cause = describeFailure(error);
    deps.log.warn({ cause }, 'the history of positions could not be read; a worker continues later');
  }
}

async function walkClaimed(
  deps: PositionDeps,
  { due, ids }: { readonly due: DueWalk; readonly ids: ReadonlySet<string> },
  signal: AbortSignal,
): Promise<void> {
  const chain = deps.chains.byId(Number.parseInt(due.chainId.toString(), 10));
  const strategies = deps.strategies
    .all()
    .filter(({ row, chain: own }) => own.chainId === chain?.chainId && ids.has(row.id.toLowerCase()));
  if (chain === undefined || strategies.length === 0) return;
  const owner = { customerId: due.customerId as CustomerId, wallet: due.wallet as Address };
  const read = deps.rpc.request(chain.chainId, (client) => client.getBlockNumber({ cacheTime: 0 }));
  const head = await rejectOnAbort(read, anySignal(signal, AbortSignal.timeout(HEAD_TIMEOUT_MS)));
  const readMs = WALK_TIMEOUT_MS;
  const walked = await walkPositions(deps, { owner, chain, strategies, head, maxRanges: MAX_RANGES, readMs, signal });
  const complete = walked.filter(({ isComplete }) => isComplete);
  await noteRead(
    deps.database,
    owner,
    complete.map(({ stored }) => stored.strategyId),
  );
}
