import { z } from 'zod';

interface JobDefinition {
  readonly payload: z.ZodType;
  /** Schedule in crontab notation, in UTC; each time runs once for all processes. */
  readonly schedule?: string;
}

/** All background jobs. A job may run twice: its handler must be idempotent. */
export const JOBS = {
  /** Ends actions whose transaction was not observed in time. */
  expireActions: { payload: z.object({}), schedule: '* * * * *' },
  /** Reads blocks and transactions of EVM chains again that could not be handled. */
  retryQuarantined: { payload: z.object({}), schedule: '* * * * *' },
  /** Polls ramps for pending verifications. */
  refreshPendingVerifications: { payload: z.object({}), schedule: '* * * * *' },
  /** Releases the recorded gas of sponsored operations that have expired unused. */
  releaseSponsoredGas: { payload: z.object({}), schedule: '* * * * *' },
  /** Removes rows that are no longer needed, in batches. A run is bounded; the next one continues. */
  purgeExpired: { payload: z.object({}), schedule: '* * * * *' },
  /** Adds the changes of the counters of actions to the counters. */
  foldActionCounts: { payload: z.object({}), schedule: '* * * * *' },
  /** Compares the histories of wallets and their counters with the actions, and repairs differences. */
  recountActions: { payload: z.object({}), schedule: '23 3 * * *' },
  /** Stores the present prices of tokens. */
  samplePrices: { payload: z.object({}), schedule: '*/5 * * * *' },
  /** Removes stored prices between the ones that are kept for longer. */
  downSamplePrices: { payload: z.object({}), schedule: '11 * * * *' },
  downSampleWalletValues: { payload: z.object({}), schedule: '17 * * * *' },
  /** Continues the histories of positions whose reading a request has begun. */
  walkPositions: { payload: z.object({}), schedule: '* * * * *' },
  /** Activates fees on profit that customers requested, and those of the deployment. */
  activateFees: { payload: z.object({}), schedule: '* * * * *' },
  /** Collects fees on profit without a withdrawal, and changes the entries of its registries. */
  collectFees: { payload: z.object({}), schedule: '* * * * *' },
  /** Adds a job `refreshMarkets` for each chain with strategies. */
  scheduleMarketRefreshes: { payload: z.object({}), schedule: '*/5 * * * *' },
  /** Reads the markets of the strategies of a chain. */
  refreshMarkets: { payload: z.object({ chainId: z.int().nonnegative() }) },
  /** Removes stored observations of markets between the ones that are kept for longer. */
  downSampleMarkets: { payload: z.object({}), schedule: '17 * * * *' },
} as const satisfies Record<string, JobDefinition>;

export type JobName = keyof typeof JOBS;
export type JobPayload<Name extends JobName> = z.infer<(typeof JOBS)[Name]['payload']>;

/** `signal` aborts when the grace period of a stopping process has passed. */
export type JobHandlers = {
  readonly [Name in JobName]: (payload: JobPayload<Name>, signal: AbortSignal) => Promise<unknown>;
};

const DEFINITIONS: { readonly [Name in JobName]: { readonly payload: z.ZodType<JobPayload<Name>> } } = JOBS;

/** The schema of a job's payload. */
export const payloadSchema = <Name extends JobName>(name: Name): z.ZodType<JobPayload<Name>> =>
  DEFINITIONS[name].payload;

export const JOB_NAMES = Object.keys(JOBS) as JobName[];
export const scheduleOf = (name: JobName): string | undefined => (JOBS[name] as JobDefinition).schedule;
