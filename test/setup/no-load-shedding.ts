/**
 * Settings of services under test: other tests use the machine as well, and a service neither refuses nor leaves out anything
 * because of that load.
 */
export const NO_LOAD_SHEDDING = {
  EVENT_LOOP_DELAY_MS: '60000',
  QUEUE_LIMIT: '10000',
  QUEUE_TIMEOUT_MS: '60000',
  PLANNING_TIMEOUT_MS: '10000',
  // An inner timeout ends before the outer one: reads and quotes, then calls to subgraphs, then requests.
  QUOTE_BUDGET_MS: '10000',
  READ_TIMEOUT_MS: '7000',
  SUBGRAPH_TIMEOUT_MS: '28000',
} as const;

/** Settings of services under test whose database always responds: the load of other tests makes no statement fail. */
export const LONG_DATABASE_TIMEOUT = { DATABASE_TIMEOUT_MS: '50000' } as const;
