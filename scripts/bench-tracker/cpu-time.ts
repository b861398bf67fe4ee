import { readFileSync } from 'node:fs';
import type { Pool } from 'pg';

/** Milliseconds of one unit in `/proc/<pid>/stat`. */
const TICK_MS = 10;

/** CPU time of this process and of the connections to the database, in milliseconds; `NaN` without `/proc`. */
export async function cpuTime(pool: Pool): Promise<number> {
  const { user, system } = process.cpuUsage();
  const { rows } = await pool.query<{ pid: number }>(
    "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend'",
  );
  const own = (user + system) / 1000;
  return rows.reduce((sum, { pid }) => sum + TICK_MS * ticksOf(pid), own);
}

function ticksOf(pid: number): number {
  try {
    // The name of the program, in parentheses, may contain spaces.
    const fields =
      readFileSync(`/proc/${String(pid)}/stat`, 'utf8')
        .split(') ')
        .at(-1)
        ?.split(' ') ?? [];
    return Number.parseInt(fields[11] ?? '', 10) + Number.parseInt(fields[12] ?? '', 10);
  } catch {
    return NaN;
  }
}
