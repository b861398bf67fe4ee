/** The state of a window after a count. */
export interface WindowCount {
  /** Total of the window, including this count. */
  readonly consumed: number;
  readonly resetMs: number;
}

/** The decision of a window for one request. */
export interface WindowDecision {
  readonly allowed: boolean;
  readonly remaining: number;
  readonly resetMs: number;
}

interface PendingCount {
  readonly cost: number;
  readonly resolve: (decision: WindowDecision) => void;
  readonly reject: (failure: unknown) => void;
}

type CountFunction<Result> = (key: string, limit: number, cost: number) => Promise<Result>;

/**
 * Batches counts: requests with the same key that arrive during a count are counted together as one sum, and each gets the
 * decision of a separate count. A busy key runs one statement at a time.
 */
export function coalesceCounts(count: CountFunction<WindowCount>): CountFunction<WindowDecision> {
  const queues = new Map<string, PendingCount[]>();

  async function drain(key: string, limit: number): Promise<void> {
    const name = queueName(key, limit);
    for (let batch = queues.get(name); batch !== undefined && batch.length > 0; batch = queues.get(name)) {
      queues.set(name, []);
      const cost = batch.reduce((sum, request) => sum + request.cost, 0);
      try {
        resolveBatch(batch, limit, await count(key, limit, cost));
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

function resolveBatch(batch: readonly PendingCount[], limit: number, { consumed, resetMs }: WindowCount): void {
  let counted = consumed - batch.reduce((sum, request) => sum + request.cost, 0);
  for (const { cost, resolve } of batch) {
    counted += cost;
    resolve({ allowed: counted <= limit, remaining: Math.max(limit - counted, 0), resetMs });
  }
}
