/**
 * Settings of services under test: other tests use the machine as well, and a service neither refuses nor leaves out anything
 * because of them.
 */
export const NO_LOAD_SHEDDING = {
  EVENT_LOOP_DELAY_MS: '60000',
  QUEUE_LIMIT: '10000',
  QUEUE_TIMEOUT_MS: '60000',
  PLANNING_TIMEOUT_MS: '30000',
  // What takes all of its time is below that of a call to a subgraph, and that below the time of a request.
  QUOTE_BUDGET_MS: '10000',
  READ_TIMEOUT_MS: '10000',
  SUBGRAPH_TIMEOUT_MS: '28000',
} as const;

/** Settings of services under test whose database always responds: what others do on the machine makes no statement fail. */
export const LONG_DATABASE_TIMEOUT = { DATABASE_TIMEOUT_MS: '50000' } as const;
