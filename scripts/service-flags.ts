/**
 * Flags of Node with which a process of the service is started. By default Node gives V8 four background threads, whatever the number
 * of cores. On two cores they compete with the main thread for processors while V8 collects garbage.
 */
export const SERVICE_FLAGS = ['--v8-pool-size=1'] as const;
