import { Logger as WorkerLogger } from 'graphile-worker';
import type { Logger } from 'pino';

/** The queue logs every job in detail; by default only failures are shown. */
const LEVELS = { error: 'error', warning: 'warn', info: 'debug', debug: 'trace' } as const;

export type JobLog = Pick<Logger, (typeof LEVELS)[keyof typeof LEVELS]>;

export const workerLogger = (log: JobLog): WorkerLogger =>
  new WorkerLogger((scope) => (level, message, meta) => {
    log[LEVELS[level]]({ ...scope, reason: reasonOf(meta?.['error']) }, message);
  });

const reasonOf = (error: unknown): string | undefined => (error instanceof Error ? error.stack : undefined);
