import type { Client } from 'pg';
import { APP_ROLE } from '../../src/persistence/scoped-pool';

/** Runs work with a connection that is served as requests are: it sees the rows of one customer only. */
export async function withRowLevelSecurity(
  client: Client,
  customerId: string,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await client.query(`SET ROLE ${APP_ROLE}; SET app.customer = '${customerId}'`);
    await work();
  } finally {
    await client.query('RESET ROLE; RESET app.customer');
  }
}

/** What requests do; everything else is the work of the service itself, which no policy filters. */
export const REQUEST_PATHS = [
  'an action by its id, or by the id of its quote',
  'the start of an action',
  'the claim of a quote',
  'the execution of a step, and the end of an action',
  'the wallets of a customer',
  'the budget for gas',
  'the response of an idempotent request',
  'a count of the rate limit',
  'the tokens of the actions of wallets',
  'the pinned tokens of wallets',
  'a page of the actions of a wallet',
  'the first page of a wallet with very many actions',
  'a page of the open actions of a wallet',
  'the last page of a wallet with very many actions',
  'the profile of a wallet, an e-mail or an id of the customer',
];
