import { invariant } from '../errors/invariant-error';
import type { Database } from '../persistence/database';

export type QuoteClock = (lifetimeSeconds: number) => Promise<Date>;

/** When a quote made now ends, in whole seconds, by the clock of the database: the one clock that all replicas share. */
export const quoteDeadline =
  (database: Pick<Database, '$queryRaw'>): QuoteClock =>
  async (lifetimeSeconds) => {
    const [row] = await database.$queryRaw<{ deadline: Date }[]>`
      SELECT date_trunc('second', now()) + make_interval(secs => ${lifetimeSeconds}::int) AS deadline`;
    invariant(row, 'the database tells no time');
    return row.deadline;
  };
