import type { TestDatabase } from './test-database';

/** Resolves when a session of the database, or several, wait for a lock. */
export async function untilBlocked({ database }: Pick<TestDatabase, 'database'>, sessions = 1): Promise<void> {
  for (;;) {
    const [row] = await database.$queryRaw<[{ count: number }]>`
      SELECT count(DISTINCT pid)::int AS count FROM pg_locks AS lock JOIN pg_stat_activity AS activity USING (pid)
       WHERE NOT lock.granted AND activity.datname = current_database()`;
    if (row.count >= sessions) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
