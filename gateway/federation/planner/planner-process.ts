import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { InvariantError } from '../../../src/errors/invariant-error';
import { serviceError } from '../../../src/errors/service-error';
import { type PlannerAnswer, type PlannerWorker, startPlannerWorker } from './planner-worker';

export interface PlannerProcess {
  /**
   * The plan of a document, as JSON text.
   *
   * @throws DOCUMENT_REFUSED when the document kills or hangs the planner, now or earlier; InvariantError when the
   * planner rejects it; SERVICE_UNAVAILABLE when there is no planner.
   */
  plan(document: string): Promise<string>;
  /** Id of the process while there is one. */
  readonly pid: number | undefined;
  close(): void;
}

export interface PlannerProcessOptions {
  readonly supergraphSdl: string;
  /** How long one document may take; one within the limits takes some 100 ms at most. */
  readonly deadlineMs: number;
  readonly log: Logger;
}

/** Documents that are remembered as fatal: a hash each. */
const MAX_FATAL_DOCUMENTS = 10_000;
/** Documents that wait for a plan; more are refused rather than made to wait. */
const MAX_WAITING = 1000;

interface Job {
  readonly document: string;
  readonly resolve: (plan: string) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Plans documents of callers in a child process. It gets one document at a time, so that the one that kills it is
 * known: its sender alone is told, it is refused from then on, and the others are planned by the next process.
 */
export function createPlannerProcess(options: PlannerProcessOptions): PlannerProcess {
  const fatal = new LRUCache<string, true>({ max: MAX_FATAL_DOCUMENTS });
  const waiting: Job[] = [];
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
    while (waiting.length > 0) {
      try {
        const ready = await liveWorker();
        const job = waiting.shift();
        if (job !== undefined) await answer(options, { job, worker: ready, fatal, isClosed: () => isClosed });
      } catch (error) {
        options.log.error({ err: error }, 'the planner process does not start');
        for (const { reject } of waiting.splice(0)) reject(unavailable());
      }
    }
    isWorking = false; // in the same step as the last look at `waiting`: else a document could be left behind
  };

  return {
    plan: (document) =>
      new Promise((resolve, reject) => {
        if (fatal.has(hashOf(document))) reject(serviceError('DOCUMENT_REFUSED'));
        else if (isClosed || waiting.length >= MAX_WAITING) reject(unavailable());
        else {
          waiting.push({ document, resolve, reject });
          void work();
        }
      }),
    get pid() {
      return worker?.isAlive() === true ? worker.pid : undefined;
    },
    close() {
      isClosed = true;
      for (const { reject } of waiting.splice(0)) reject(unavailable());
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

async function answer(options: PlannerProcessOptions, { job, worker, fatal, isClosed }: Assignment): Promise<void> {
  const { deadlineMs, log } = options;
  let answered: PlannerAnswer;
  try {
    answered = await worker.ask(job.document, deadlineMs);
  } catch (error) {
    if (isClosed()) {
      job.reject(unavailable());
      return;
    }
    const hash = hashOf(job.document);
    fatal.set(hash, true);
    log.error({ err: error, documentHash: hash }, 'a document killed the planner');
    job.reject(serviceError('DOCUMENT_REFUSED'));
    return;
  }
  if ('plan' in answered) job.resolve(answered.plan);
  else job.reject(new InvariantError(`the planner rejects the document ${hashOf(job.document)}: ${answered.error}`));
}

const hashOf = (document: string): string => createHash('sha256').update(document).digest('hex');

const unavailable = (): Error => serviceError('SERVICE_UNAVAILABLE', { reason: 'no planner' });
