import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { createFairQueue } from '../../../src/async/fair-queue';
import { InvariantError } from '../../../src/errors/invariant-error';
import { serviceError } from '../../../src/errors/service-error';
import { type PlannerResult, type PlannerWorker, startPlannerWorker } from './planner-worker';

export interface PlannerProcess {
  /**
   * Returns the plan of a document as JSON text. Callers are served in turns, so that the documents of one delay another
   * by one document at most.
   *
   * @throws RATE_LIMIT_EXCEEDED when too many documents of the caller are waiting; DOCUMENT_REFUSED when the document
   * crashes or hangs the planner, now or earlier; InvariantError when the planner rejects it; SERVICE_UNAVAILABLE when there is no planner.
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

/** Number of documents remembered as fatal, by hash. */
const MAX_FATAL_DOCUMENTS = 10_000;
/** How long such a document is refused: the machine may have ended the process for another reason. */
const FATAL_MS = 600_000;
/** Maximum length of the queue of all callers; further documents are refused. */
const MAX_WAITING = 1000;
/** The caller of documents without one, which come from the service itself. */
const UNLIMITED = '';

interface Job {
  readonly document: string;
  readonly resolve: (plan: string) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Plans callers' documents in a child process, one at a time, so that the document that crashes it can be identified.
 * Only that document fails, and it is refused for a while; the others are planned by the next process.
 */
export function createPlannerProcess(options: PlannerProcessOptions): PlannerProcess {
  const fatal = new LRUCache<string, true>({ max: MAX_FATAL_DOCUMENTS, ttl: FATAL_MS });
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
        if (job !== undefined) await planJob(options, { job, worker: ready, fatal, isClosed: () => isClosed });
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
        if (fatal.has(hashOf(document))) reject(serviceError('DOCUMENT_REFUSED'));
        else if (isClosed || waiting.size >= MAX_WAITING) reject(unavailable());
        else if (caller !== UNLIMITED && waiting.sizeOf(caller) >= maxWaitingPerCaller)
          reject(tooManyWaiting(maxWaitingPerCaller));
        else {
          waiting.add(caller, { document, resolve, reject });
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

interface Assignment {
  readonly job: Job;
  readonly worker: PlannerWorker;
  readonly fatal: LRUCache<string, true>;
  readonly isClosed: () => boolean;
}

async function planJob(options: PlannerProcessOptions, { job, worker, fatal, isClosed }: Assignment): Promise<void> {
  const { deadlineMs, log } = options;
  let result: PlannerResult;
  try {
    result = await worker.plan(job.document, deadlineMs);
  } catch (error) {
    if (isClosed()) {
      job.reject(unavailable());
      return;
    }
    const hash = hashOf(job.document);
    fatal.set(hash, true);
    log.error({ err: error, documentHash: hash }, 'a document crashed the planner');
    job.reject(serviceError('DOCUMENT_REFUSED'));
    return;
  }
  if ('plan' in result) job.resolve(result.plan);
  else job.reject(new InvariantError(`the planner rejects the document ${hashOf(job.document)}: ${result.error}`));
}

const hashOf = (document: string): string => createHash('sha256').update(document).digest('hex');

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
