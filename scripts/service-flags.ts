/**
 * Flags of Node with which a process of the service is started. By default V8 collects garbage with four threads, whatever the
 * number of cores. On two cores they take turns with the only one that serves requests, and a collection blocks it twice as long.
 * 0: one thread less than there are cores, at least one.
 */
export const SERVICE_FLAGS = ['--v8-pool-size=0'] as const;
