import { once } from 'node:events';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { InvariantError } from '../../src/errors/invariant-error';
import { serviceError } from '../../src/errors/service-error';
import type { ParsedJson } from './json-text.cjs';

/** Parses large JSON in a thread of its own, one text after the other: forty megabytes do not stop the event loop. */
export interface JsonThread {
  /**
   * The buffer of the text is transferred to the thread. `assertNeeded` is called before, and throws when the result is not
   * needed any more.
   *
   * @throws SERVICE_UNAVAILABLE when the thread ends before the result, for example for want of memory
   */
  parse(text: Uint8Array<ArrayBuffer>, assertNeeded: () => void): Promise<ParsedJson>;
  close(): Promise<void>;
}

const CODE = path.join(__dirname, 'json-text.cjs');
/** A thread without work ends after this time, which releases its memory. */
const IDLE_MS = 10_000;

/** The thread starts with the first text. */
export function createJsonThread(): JsonThread {
  let worker: Worker | undefined;
  let idle: NodeJS.Timeout | undefined;
  let previous: Promise<unknown> = Promise.resolve();

  const end = async (): Promise<void> => {
    const ending = worker;
    worker = undefined;
    await ending?.terminate();
  };
  const parseNext = async (text: Uint8Array<ArrayBuffer>): Promise<ParsedJson> => {
    clearTimeout(idle);
    const thread = (worker ??= new Worker(CODE, { workerData: 'json' }));
    thread.ref();
    try {
      return await resultOf(thread, text);
    } catch (cause) {
      await end();
      throw serviceError('SERVICE_UNAVAILABLE', { reason: 'the body could not be parsed' }, { cause });
    } finally {
      thread.unref();
      idle = setTimeout(() => void end(), IDLE_MS).unref();
    }
  };

  return {
    parse(text, assertNeeded) {
      const result = previous.then(() => {
        assertNeeded();
        return parseNext(text);
      });
      // Not the result itself: the largest bodies have forty megabytes.
      previous = result.then(nothing, nothing);
      return result;
    },
    async close() {
      clearTimeout(idle);
      await end();
    },
  };
}

const nothing = (): undefined => undefined;

/** @throws whatever ended the thread */
async function resultOf(worker: Worker, text: Uint8Array<ArrayBuffer>): Promise<ParsedJson> {
  const settled = new AbortController();
  const { signal } = settled;
  const ended = once(worker, 'exit', { signal }).then(() => {
    throw new InvariantError('the thread ended');
  });
  ended.catch(() => undefined); // it rejects once the result has arrived
  worker.postMessage(text, [text.buffer]);
  try {
    // `once` rejects with an 'error' of the thread.
    const [result] = (await Promise.race([once(worker, 'message', { signal }), ended])) as [ParsedJson];
    return result;
  } finally {
    settled.abort();
  }
}
