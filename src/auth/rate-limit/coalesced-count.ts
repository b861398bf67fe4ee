/** What a window holds after a count. */
export interface WindowCount {
  /** Everything counted in this window, the count itself included. */
  readonly consumed: number;
  readonly resetMs: number;
}

/** What a window says to one request. */
export interface WindowDecision {
  readonly allowed: boolean;
  readonly remaining: number;
  readonly resetMs: number;
}

interface Waiting {
  readonly cost: number;
  readonly resolve: (answer: WindowDecision) => void;
  readonly reject: (failure: unknown) => void;
}

type Counting<Answer> = (key: string, limit: number, cost: number) => Promise<Answer>;

/**
 * Lets requests with the same key that arrive while one is being counted be counted together, as one sum, and answers
 * each as if they had been counted one after the other. A busy key costs one statement at a time.
 */
export function coalesceCounts(count: Counting<WindowCount>): Counting<WindowDecision> {
  const queues = new Map<string, Waiting[]>();

  async function drain(key: string, limit: number): Promise<void> {
    const name = nameOf(key, limit);
    for (let batch = queues.get(name); batch !== undefined && batch.length > 0; batch = queues.get(name)) {
      queues.set(name, []);
      const cost = batch.reduce((sum, request) => sum + request.cost, 0);
      try {
        share(batch, limit, await count(key, limit, cost));
      } catch (failure) {
        for (const request of batch) request.reject(failure);
      }
    }
    queues.delete(name);
  }

  return (key, limit, cost) =>
    new Promise((resolve, reject) => {
      const waiting = queues.get(nameOf(key, limit));
      const request = { cost, resolve, reject };
      if (waiting !== undefined) {
        waiting.push(request);
        return;
      }
      queues.set(nameOf(key, limit), [request]);
      void drain(key, limit);
    });
}

const nameOf = (key: string, limit: number): string => `${String(limit)} ${key}`;

function share(batch: readonly Waiting[], limit: number, { consumed, resetMs }: WindowCount): void {
  let counted = consumed - batch.reduce((sum, request) => sum + request.cost, 0);
  for (const { cost, resolve } of batch) {
    counted += cost;
    resolve({ allowed: counted <= limit, remaining: Math.max(limit - counted, 0), resetMs });
  }
}
