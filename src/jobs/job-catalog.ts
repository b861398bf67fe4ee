import { z } from 'zod';

interface JobDefinition {
  readonly payload: z.ZodType;
  /** When it runs by itself, in crontab's notation, once for all processes; UTC. */
  readonly schedule?: string;
}

/** Everything that is done in the background. A job may run twice, so its handler must bear that. */
export const JOBS = {
  /** Ends actions of which nothing was seen in time. */
  expireActions: { payload: z.object({}), schedule: '* * * * *' },
  /** Asks ramps about people of whom a decision is awaited. */
  refreshPendingVerifications: { payload: z.object({}), schedule: '* * * * *' },
  /** Deletes kept answers, request counts and personal data that mean nothing any more. */
  purgeExpired: { payload: z.object({}), schedule: '*/10 * * * *' },
} as const satisfies Record<string, JobDefinition>;

export type JobName = keyof typeof JOBS;
export type JobPayload<Name extends JobName> = z.infer<(typeof JOBS)[Name]['payload']>;

/** `signal` aborts when the process is stopping and has waited long enough. */
export type JobHandlers = {
  readonly [Name in JobName]: (payload: JobPayload<Name>, signal: AbortSignal) => Promise<unknown>;
};

export const JOB_NAMES = Object.keys(JOBS) as JobName[];
export const scheduleOf = (name: JobName): string | undefined => (JOBS[name] as JobDefinition).schedule;
