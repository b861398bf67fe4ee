import { AsyncResource } from 'node:async_hooks';
import type { Pool, PoolClient } from 'pg';
import type { SpanDescription, Tracer } from './tracer';

const OPERATIONS: ReadonlySet<string> = new Set([
  ...['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'WITH', 'BEGIN', 'COMMIT', 'ROLLBACK', 'SET'],
]);

type Query = (...parameters: readonly unknown[]) => unknown;
type Callback = (...results: readonly unknown[]) => void;

/** Adds a span for each statement that a traced request runs: its first word, neither its text nor its values. */
export function traceQueries(pool: Pool, tracer: Tracer): void {
  keepContext(pool);
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as Query;
    Object.assign(client, { query: traced(query, tracer) });
  });
}

/** What waits for a connection gets it from the request that returns it, whose trace it must not join. */
function keepContext(pool: Pool): void {
  const connect = pool.connect.bind(pool) as (callback?: Callback) => Promise<PoolClient> | undefined;
  Object.assign(pool, {
    // Also the work that belongs to no request, such as that of a worker in the same process.
    connect: (callback?: Callback) => connect(callback === undefined ? undefined : AsyncResource.bind(callback)),
  });
}

function traced(query: Query, tracer: Tracer): Query {
  return (...parameters) => {
    if (tracer.current() === undefined) return query(...parameters);
    const operation = operationOf(parameters[0]);
    const attributes = { 'db.system.name': 'postgresql', 'db.operation.name': operation };
    const description: SpanDescription = { name: `postgres ${operation}`, kind: 'client', attributes };
    const last = parameters.at(-1);
    if (typeof last !== 'function') return tracer.run(description, () => query(...parameters));
    const span = tracer.start(description);
    const ended: Callback = (...results) => {
      span.end({ failed: results[0] !== null && results[0] !== undefined });
      (last as Callback)(...results);
    };
    return query(...parameters.slice(0, -1), ended);
  };
}

function operationOf(statement: unknown): string {
  const word = /[A-Za-z]+/.exec(textOf(statement))?.[0].toUpperCase() ?? '';
  return OPERATIONS.has(word) ? word : 'OTHER';
}

/** The text of a statement, which may be an object of the driver. */
function textOf(statement: unknown): string {
  if (typeof statement === 'string') return statement;
  const { text } = (statement ?? {}) as { readonly text?: unknown };
  return typeof text === 'string' ? text : '';
}
