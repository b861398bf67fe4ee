export const HOUR = 3600;
export const DAY = 24 * HOUR;

/** A rule for rows that are no longer needed. */
export interface RetentionRule {
  readonly name: string;
  /** Table whose rows the rule selects. */
  readonly table: string;
  /** Seconds after which a row is due. */
  readonly seconds: number;
  /** Selects the keys of due rows, the oldest first, by an index. `$1` is the time in seconds. */
  readonly due: string;
  /** Locks of the selected rows: rows that another process removes are skipped. */
  readonly lock: string;
  /** Rows that one statement removes when each takes many others with it; 1,000 by default. */
  readonly batchSize?: number;
  /** Statement that removes the rows of the table expression `due`. */
  readonly remove: string;
}

/** The time before which rows are due. */
export const CUTOFF = `now() - make_interval(secs => $1)`;
