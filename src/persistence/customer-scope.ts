import { AsyncLocalStorage } from 'node:async_hooks';
import { invariant } from '../errors/invariant-error';

/**
 * All work that reads or writes rows of several customers, with the reason why row-level security must not apply to it. Everything
 * else runs for one customer, or sees no rows of customers at all.
 */
export const SERVICE_WORK = {
  worker: 'Jobs, trackers, the ledger, deliveries, webhooks, deployments and orders work for all customers in turns.',
  keyUses: 'One statement records the last use of the API keys of all customers.',
  credentials: 'An API key or access token is looked up before its customer is read, and cached for all requests.',
  rampCallbacks: 'The callback of a ramp names a ticket or account, not the customer.',
  paymentQrCodes: 'The signed link to a QR code names an action, not the customer.',
  chainTransactions: 'A transaction that is reported for an action may belong to an action of another customer.',
  deployments: 'An account is deployed once, whichever customers requested it.',
  rampAccounts: 'An account at a ramp belongs to one profile only, across all customers.',
  health: 'The health report counts backlogs of the whole deployment.',
  serviceWallet: 'The nonces of the wallet of the service are shared by its transactions for all customers.',
  solanaWallets:
    'A Solana wallet is read once for all customers that watch it, and sooner when one of them requests its movements.',
  subscriptions:
    'One query reads the versions of all watched actions or wallets of a process. What has changed is read for its customer.',
  metrics: 'Metrics count backlogs of the whole deployment.',
  startUp: 'Checks before the start concern secrets and open orders of the whole deployment.',
} as const;

export type ServiceWork = keyof typeof SERVICE_WORK;

/** The owner of the current work: a customer, or the service for all of them. `none`: work without a customer. */
export type Scope =
  | { readonly kind: 'customer'; readonly customerId: string }
  | { readonly kind: 'service'; readonly work: ServiceWork }
  | { readonly kind: 'none' };

const NONE: Scope = { kind: 'none' };
const scopes = new AsyncLocalStorage<Scope>();

export const currentScope = (): Scope => scopes.getStore() ?? NONE;

/** Runs `work` so that its queries see the rows of this customer alone. Work of another customer cannot be run within it. */
export function runForCustomer<Result>(customerId: string, work: () => Result): Result {
  const present = currentScope();
  invariant(
    present.kind !== 'customer' || present.customerId === customerId,
    'work for one customer was started by work for another one',
  );
  return startWithin({ kind: 'customer', customerId }, work);
}

/** Runs `work` for the customer; without one its queries see no rows of customers. */
export const runForCaller = <Result>(customerId: string | undefined, work: () => Result): Result =>
  customerId === undefined ? startWithin(NONE, work) : runForCustomer(customerId, work);

/** Runs `work` without row-level security. */
export const runForService = <Result>(reason: ServiceWork, work: () => Result): Result =>
  startWithin({ kind: 'service', work: reason }, work);

/** Runs `work` in a scope that `currentScope` returned earlier. */
export const runInScope = <Result>(scope: Scope, work: () => Result): Result => startWithin(scope, work);

/**
 * A query of the database client starts when its result is awaited: it is started before the scope ends. Otherwise a function that
 * returns a query would run it outside of the scope.
 */
function startWithin<Result>(scope: Scope, work: () => Result): Result {
  return scopes.run(scope, () => {
    const result: unknown = work();
    return (isLazy(result) ? new Promise((resolve, reject) => void result.then(resolve, reject)) : result) as Result;
  });
}

const isLazy = (result: unknown): result is PromiseLike<unknown> =>
  typeof result === 'object' && result !== null && 'then' in result && !(result instanceof Promise);
