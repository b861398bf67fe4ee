/** Settings of services under test: other tests use the machine as well, and a service refuses nothing because of them. */
export const NO_LOAD_SHEDDING = {
  EVENT_LOOP_DELAY_MS: '60000',
  QUEUE_LIMIT: '10000',
  QUEUE_TIMEOUT_MS: '60000',
} as const;
