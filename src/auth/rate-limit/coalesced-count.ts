/** Requests of one key that are counted in one step. */
export interface CountedBatch {
  /** Cost of each request. */
  readonly cost: number;
  readonly requests: number;
}

/** The state of a window after a batch. Refused requests are not counted. */
export interface WindowCount {
  /** The first so many requests of the batch fit into the limit; the others are refused. */
  readonly admitted: number;
  /** Total of the window, including the admitted requests. */
  readonly consumed: number;
  readonly resetMs: number;
  /** True when the requests were counted in this process alone. */
  readonly isLocal: boolean;
}

/** The decision of a window for one request. */
export interface WindowDecision {
  readonly allowed: boolean;
  readonly remaining: number;
  readonly resetMs: number;
  /** True when the request was counted in this process alone. */
  readonly isLocal: boolean;
}

interface PendingCount {
  readonly cost: number;
  readonly resolve: (decision: WindowDecision) => void;
  readonly reject: (failure: unknown) => void;
}

type CountBatch = (key: string, limit: number, batch: CountedBatch) => Promise<WindowCount>;
type CountRequest = (key: string, limit: number, cost: number) => Promise<WindowDecision>;

/**
 * Batches counts: requests with the same key and cost that arrive during a count are counted together, and each gets the
 * decision of a separate count. A busy key runs one statement at a time.
 */
export function coalesceCounts(count: CountBatch): CountRequest {
  const queues = new Map<string, PendingCount[]>();

  async function drain(key: string, limit: number): Promise<void> {
    const name = queueName(key, limit);
    for (let queue = queues.get(name); queue !== undefined && queue.length > 0; queue = queues.get(name)) {
      const batch = takeBatch(queue);
      try {
        const { cost } = batch[0];
        resolveBatch(batch, limit, await count(key, limit, { cost, requests: batch.length }));
      } catch (failure) {
        for (const request of batch) request.reject(failure);
      }
    }
    queues.delete(name);
  }

  return (key, limit, cost) =>
    new Promise((resolve, reject) => {
      const waiting = queues.get(queueName(key, limit));
      const request = { cost, resolve, reject };
      if (waiting !== undefined) {
        waiting.push(request);
        return;
      }
      queues.set(queueName(key, limit), [request]);
      void drain(key, limit);
    });
}

const queueName = (key: string, limit: number): string => `${String(limit)} ${key}`;

/** Removes the requests at the head of the queue that have the same cost, in their order. */
function takeBatch(queue: PendingCount[]): [PendingCount, ...PendingCount[]] {
  const end = queue.findIndex(({ cost }) => cost !== queue[0]?.cost);
  return queue.splice(0, end === -1 ? queue.length : end) as [PendingCount, ...PendingCount[]];
}

function resolveBatch(batch: readonly PendingCount[], limit: number, counted: WindowCount): void {
  const { admitted, consumed, resetMs, isLocal } = counted;
  batch.forEach(({ cost, resolve }, position) => {
    const allowed = position < admitted;
    const countedLater = allowed ? (admitted - position - 1) * cost : 0;
    resolve({ allowed, remaining: Math.max(limit - consumed + countedLater, 0), resetMs, isLocal });
  });
}
