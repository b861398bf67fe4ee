import type { Pool } from 'pg';
import { foldActionCounts } from '../../src/actions/history/fold-action-counts';
import { changeStatus } from '../../src/actions/state/change-status';
import type { Database } from '../../src/persistence/database';
import { CUSTOMER, LARGE } from './fill';
import { typicalTime } from './typical-time';

const ROUNDS = 12;
const ACTIONS_PER_ROUND = 40;

/** Milliseconds of a change of status, each in a transaction of its own. */
export interface MeasuredTransitions {
  readonly withParties: number;
  /** With the triggers disabled. */
  readonly without: number;
}

/** Changes the status of open actions of the large wallet, with and without parties and counters by turns. */
export async function measureTransitions(database: Database, pool: Pool): Promise<MeasuredTransitions> {
  const ids = await openActions(pool);
  const times = { on: [] as number[], off: [] as number[] };
  for (let round = 0; round < 2 * ROUNDS; round += 1) {
    const mode = round % 2 === 0 ? 'on' : 'off';
    await pool.query(`ALTER TABLE "Action" ${mode === 'on' ? 'ENABLE' : 'DISABLE'} TRIGGER USER`);
    const own = ids.slice(round * ACTIONS_PER_ROUND, (round + 1) * ACTIONS_PER_ROUND);
    for (const id of own) times[mode].push(await timeOfChange(database, id));
    await foldActionCounts({ pool }, new AbortController().signal);
  }
  await pool.query('ALTER TABLE "Action" ENABLE TRIGGER USER');
  return { withParties: typicalTime(times.on), without: typicalTime(times.off) };
}

async function openActions(pool: Pool): Promise<readonly string[]> {
  const { rows } = await pool.query<{ id: string }>(
    `SELECT action.id FROM "Action" AS action JOIN "ActionParty" AS party ON party."actionId" = action.id
      WHERE party."customerId" = $1 AND party.wallet = $2 AND NOT party."isDraft" AND party.status = 'INITIAL'
      ORDER BY party."createdAt" DESC LIMIT $3`,
    [CUSTOMER, LARGE.address, 2 * ROUNDS * ACTIONS_PER_ROUND],
  );
  return rows.map(({ id }) => id);
}

async function timeOfChange(database: Database, id: string): Promise<number> {
  const startedAt = performance.now();
  await database.$transaction((tx) => changeStatus(tx, id, { transition: 'originSeen' }));
  return performance.now() - startedAt;
}
