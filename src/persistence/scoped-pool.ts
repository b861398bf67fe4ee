import type { Pool, PoolClient } from 'pg';
import { InvariantError } from '../errors/invariant-error';
import { currentScope } from './customer-scope';

/** The role under which requests are served. Policies of its tables show it the rows of one customer. */
export const APP_ROLE = 'afluente_app';

/** The role that the policies exempt. The user of DATABASE_URL is a member. */
export const WORKER_ROLE = 'afluente_worker';

/** Connections of a process without jobs that see the rows of all customers: they find credentials, and little else. */
export const SERVICE_CONNECTIONS = 3;

type Callback = (error?: Error, client?: PoolClient, release?: (error?: Error | boolean) => void) => void;
type Connect = (callback: Callback) => void;

/**
 * Makes the pool of requests serve the present scope: the service's own work gets connections of `services`, all other work
 * connections of `requests` whose customer is set. A connection for which that fails is closed.
 *
 * The scope is that of the call, not that of the work whose end makes a connection free.
 */
export function scopePool(requests: Pool, services: Pool): Pool {
  const ofRequests = requests.connect.bind(requests) as Connect;
  const setCustomer = createCustomerSetter();
  const connect: Connect = (callback) => {
    const scope = currentScope();
    if (scope.kind === 'service') return (services.connect.bind(services) as Connect)(callback);
    const customerId = scope.kind === 'customer' ? scope.customerId : '';
    ofRequests((error, client, release) => {
      if (client === undefined) return callback(error);
      setCustomer(client, customerId).then(
        () => callback(undefined, client, release),
        (failure: Error) => {
          release?.(failure);
          callback(failure);
        },
      );
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

const SET_CUSTOMER = { name: 'set-customer', text: `SELECT set_config('app.customer', $1, false)` };

/**
 * Sets the customer of a connection before each use for another one than the last. A round trip, which connections that serve the
 * same customer again do without.
 */
function createCustomerSetter(): (client: PoolClient, customerId: string) => Promise<void> {
  const customers = new WeakMap<PoolClient, string>();
  return async (client, customerId) => {
    // The end of an open transaction would restore the former customer.
    if (client.getTransactionStatus() !== 'I')
      throw new InvariantError('a connection was returned to the pool within a transaction');
    if (customers.get(client) === customerId) return;
    customers.delete(client); // unknown until the server has responded
    await client.query({ ...SET_CUSTOMER, values: [customerId] });
    customers.set(client, customerId);
  };
}
