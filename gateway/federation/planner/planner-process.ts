import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { atMostEntries } from '../../../src/async/cache-size';
import { createFairQueue } from '../../../src/async/fair-queue';
import { serviceError } from '../../../src/errors/service-error';
import { PlannerKilledError, type PlannerWorker, startPlannerWorker } from './planner-worker';

export interface PlannerProcess {
  /**
   * Returns the plan of a document as JSON text. Callers are served in turns, so that the documents of one delay another
   * by one document at most.
   *
   * @throws RATE_LIMIT_EXCEEDED when too many documents of the caller are waiting; DOCUMENT_REFUSED when the planner rejects
   * the document, or when the document crashes or hangs it, now or in the last minutes; SERVICE_UNAVAILABLE when there is no
   * planner.
   */
  plan(document: string, caller?: string): Promise<string>;
  /** Id of the running process. */
  readonly pid: number | undefined;
  close(): void;
}

export interface PlannerProcessOptions {
  readonly supergraphSdl: string;
  /** Maximum time for one document. A document within the limits takes about 100 ms at most. */
  readonly deadlineMs: number;
  /** Maximum number of documents of one caller that wait. */
  readonly maxWaitingPerCaller: number;
  readonly log: Logger;
}

/** Maximum number of documents remembered as refused, by hash. */
const MAX_REFUSED_DOCUMENTS = 10_000;
/** How long such a document is refused without planning. */
const REFUSED_MS = 600_000;
/**
 * The same after it crashed or hung the planner for the first time. Doubles each time, up to `REFUSED_MS`: a machine without
 * time or memory for the planner may have been the reason, and not the document.
 */
const FIRST_REFUSED_MS = 10_000;
/** Maximum length of the queue of all callers; further documents are refused. */
const MAX_WAITING = 1000;
/** The caller of documents without one, which come from the service itself. */
const UNLIMITED = '';

interface Job {
  readonly caller: string;
  readonly document: string;
  readonly hash: string;
  readonly resolve: (plan: string) => void;
  readonly reject: (error: Error) => void;
  /** True when another process killed the planner during the first attempt. */
  readonly isRepeated: boolean;
}

/**
 * Plans callers' documents in a child process, one at a time, so that the document that crashes it can be identified.
 * Only that document fails; the others are planned by the next process. A document that crashes the planner, or that the
 * planner rejects, is refused for a while without being planned again. A document is planned once more when another process
 * killed the planner.
 */
export function createPlannerProcess(options: PlannerProcessOptions): PlannerProcess {
  const refused = createRefusedDocuments();
  const { maxWaitingPerCaller } = options;
  const waiting = createFairQueue<Job>();
  let worker: PlannerWorker | undefined;
  let isWorking = false;
  let isClosed = false;

  const liveWorker = async (): Promise<PlannerWorker> => {
    if (worker?.isAlive() === true) return worker;
    const started = await startPlannerWorker(options.supergraphSdl);
    if (isClosed) started.kill();
    worker = started;
    return started;
  };
  const work = async (): Promise<void> => {
    if (isWorking) return;
    isWorking = true;
    while (waiting.size > 0) {
      try {
        const ready = await liveWorker();
        const job = waiting.take();
        if (job !== undefined) {
          const repeat = (): void => waiting.add(job.caller, { ...job, isRepeated: true });
          await planJob(options, { job, worker: ready, refused, repeat, isClosed: () => isClosed });
        }
      } catch (error) {
        options.log.error({ err: error }, 'the planner process did not start');
        for (const { reject } of waiting.clear()) reject(unavailable());
      }
    }
    isWorking = false; // set synchronously after the last check of `waiting`, so that no document stays in the queue
  };

  return {
    plan: (document, caller = UNLIMITED) =>
      new Promise((resolve, reject) => {
        const hash = createHash('sha256').update(document).digest('hex');
        if (refused.has(hash)) reject(serviceError('DOCUMENT_REFUSED'));
        else if (isClosed || waiting.size >= MAX_WAITING) reject(unavailable());
        else if (caller !== UNLIMITED && waiting.sizeOf(caller) >= maxWaitingPerCaller)
          reject(tooManyWaiting(maxWaitingPerCaller));
        else {
          waiting.add(caller, { caller, document, hash, resolve, reject, isRepeated: false });
          void work();
        }
      }),
    get pid() {
      return worker?.isAlive() === true ? worker.pid : undefined;
    },
    close() {
      isClosed = true;
      for (const { reject } of waiting.clear()) reject(unavailable());
      worker?.kill();
    },
  };
}

/** Documents that are refused without planning, by hash. */
interface RefusedDocuments {
  has(hash: string): boolean;
  addRejected(hash: string): void;
  addCrashed(hash: string): void;
}

function createRefusedDocuments(): RefusedDocuments {
  // `ttlResolution: 0` and `perf: Date`: tests replace the clock.
  const options = { ...atMostEntries(MAX_REFUSED_DOCUMENTS), ttl: REFUSED_MS, ttlResolution: 0, perf: Date };
  const refused = new LRUCache<string, true>(options);
  const crashes = new LRUCache<string, number>({ ...options, ttl: 2 * REFUSED_MS });
  return {
    has: (hash) => refused.has(hash),
    addRejected: (hash) => void refused.set(hash, true),
    addCrashed(hash) {
      const earlier = crashes.get(hash) ?? 0;
      crashes.set(hash, earlier + 1);
      refused.set(hash, true, { ttl: Math.min(REFUSED_MS, FIRST_REFUSED_MS * 2 ** earlier) });
    },
  };
}

interface Assignment {
  readonly job: Job;
  readonly worker: PlannerWorker;
  /** Hashes of the documents to refuse. */
  readonly refused: RefusedDocuments;
  /** Adds the job to the queue again. */
  readonly repeat: () => void;
  readonly isClosed: () => boolean;
}

async function planJob({ deadlineMs, log }: PlannerProcessOptions, assignment: Assignment): Promise<void> {
  const { job, worker, refused, repeat, isClosed } = assignment;
  const { document, hash, resolve, reject } = job;
  try {
    const result = await worker.plan(document, deadlineMs);
    if ('plan' in result) {
      resolve(result.plan);
      return;
    }
    refused.addRejected(hash);
    log.warn({ reason: withoutStrings(result.error), documentHash: hash }, 'the planner rejects a document');
  } catch (error) {
    if (isClosed()) {
      reject(unavailable());
      return;
    }
    if (error instanceof PlannerKilledError && !job.isRepeated) {
      repeat();
      return;
    }
    refused.addCrashed(hash);
    log.error({ err: error, documentHash: hash }, 'a document crashed the planner');
  }
  reject(serviceError('DOCUMENT_REFUSED'));
}

/**
 * Cuts an error of the planner at its first string. It may be a string of the document, with personal data, and with quotes
 * inside that do not end it.
 */
const withoutStrings = (error: string): string => error.replace(/"[\s\S]*$/, '"…"');

const unavailable = (): Error => serviceError('SERVICE_UNAVAILABLE', { reason: 'no planner' });

function tooManyWaiting(limit: number): Error {
  const retryAfter = 1;
  const details = { retryAfter, limit: 'waitingDocuments', maximum: limit };
  return serviceError(
    'RATE_LIMIT_EXCEEDED',
    { bound: `${limit} documents waiting for a query plan`, retryAfter },
    { details },
  );
}
