import type { Pool, PoolClient } from 'pg';
import { InvariantError } from '../errors/invariant-error';
import { currentScope } from './customer-scope';
import { PREPARE_SET_CUSTOMER, scopeStatements } from './scoped-statements';

/** The role under which requests are served. Policies of its tables show it the rows of one customer. */
export const APP_ROLE = 'afluente_app';

/** The role that the policies exempt. The user of DATABASE_URL is a member. */
export const WORKER_ROLE = 'afluente_worker';

/** SQL condition: the user of the connection sees the rows of all customers. */
export const SEES_ALL_ROWS = `(pg_has_role(current_user, '${WORKER_ROLE}', 'USAGE') OR NOT row_security_active('"Action"'))`;

/** Connections of a process without jobs that see the rows of all customers, for the work of `SERVICE_WORK`. */
export const SERVICE_CONNECTIONS = 3;

/** Connections that look up credentials alone: no other work, such as reports that wait for a lock, makes requests wait for them. */
export const CREDENTIAL_CONNECTIONS = 2;

type Callback = (error?: Error, client?: PoolClient, release?: (error?: Error | boolean) => void) => void;
type Connect = (callback: Callback) => void;

/** Run by each new connection of requests. */
export const REQUEST_SET_UP = `SET ROLE ${APP_ROLE}; ${PREPARE_SET_CUSTOMER}`;

/** Pools whose connections see the rows of all customers. */
export interface ServicePools {
  readonly credentials: Pool;
  /** For all other work of the service. */
  readonly services: Pool;
}

/**
 * Makes the pool of requests serve the current scope: the service's own work gets connections of `services` or `credentials`, all
 * other work connections of `requests`, whose statements run for the customer of the scope until the connection is returned.
 *
 * The scope is that of the call, not that of the work whose end makes a connection free.
 */
export function scopePool(requests: Pool, { credentials, services }: ServicePools): Pool {
  const ofRequests = requests.connect.bind(requests) as Connect;
  const customers = new WeakMap<PoolClient, string>();
  requests.on('connect', (client) => scopeStatements(client, () => customers.get(client)));
  requests.on('release', (_error, client) => customers.delete(client));
  const connect: Connect = (callback) => {
    const scope = currentScope();
    if (scope.kind === 'service') {
      const pool = scope.work === 'credentials' ? credentials : services;
      (pool.connect.bind(pool) as Connect)(callback);
      return;
    }
    ofRequests((error, client, release) => {
      if (client !== undefined && scope.kind === 'customer') customers.set(client, scope.customerId);
      callback(error, client, release);
    });
  };
  const connectScoped = (callback?: Callback): Promise<PoolClient> | undefined => {
    if (callback !== undefined) {
      connect(callback);
      return undefined;
    }
    return new Promise((resolve, reject) => {
      connect((error, client) =>
        client === undefined ? reject(error ?? new InvariantError('no connection and no error')) : resolve(client),
      );
    });
  };
  return Object.assign(requests, { connect: connectScoped });
}
