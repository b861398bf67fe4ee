/**
 * Settings of services under test: other tests use the machine as well, and a service neither refuses nor leaves out anything
 * because of them. The time limits are below that of a call to a subgraph.
 */
export const NO_LOAD_SHEDDING = {
  EVENT_LOOP_DELAY_MS: '60000',
  QUEUE_LIMIT: '10000',
  QUEUE_TIMEOUT_MS: '60000',
  PLANNING_TIMEOUT_MS: '60000',
  QUOTE_BUDGET_MS: '15000',
  READ_TIMEOUT_MS: '15000',
} as const;

/** Settings of services under test whose database always responds: what others do on the machine makes no statement fail. */
export const LONG_DATABASE_TIMEOUT = { DATABASE_TIMEOUT_MS: '50000' } as const;
