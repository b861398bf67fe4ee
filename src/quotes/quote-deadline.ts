import type { Pool } from 'pg';
import { invariant } from '../errors/invariant-error';

export type QuoteClock = (lifetimeSeconds: number) => Promise<Date>;

/** The expiry of a quote created now, in whole seconds, by the clock of the database, which all replicas share. */
export const quoteDeadline =
  (pool: Pick<Pool, 'query'>): QuoteClock =>
  async (lifetimeSeconds) => {
    const { rows } = await pool.query<{ deadline: Date }>({ name: 'quote-deadline', text, values: [lifetimeSeconds] });
    invariant(rows[0], 'the database returned no deadline');
    return rows[0].deadline;
  };

const text = `SELECT date_trunc('second', now()) + make_interval(secs => $1::int) AS deadline`;
