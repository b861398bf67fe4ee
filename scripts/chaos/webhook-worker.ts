import type { CustomerId } from '../../src/auth/principal';
import { type Database, type OpenDatabase, openDatabase } from '../../src/persistence/database';
import { createSampleAction, newCustomer, sampleToken } from '../../test/actions/sample-action';
import { addReceiver } from './add-receiver';
import { type FaultyReceiver, type Reaction, startFaultyReceiver } from './faulty-receiver';
import { startService } from './service-process';
import type { ScenarioSetup } from './scenario';

/** Transactions of a scenario at the same time. */
export const WRITERS = 8;
/** A chain that every deployment has in its table, also without a node of it. */
const CHAIN_ID = 8453;

/** A customer with one endpoint. */
export interface Receiving {
  readonly customerId: CustomerId;
  readonly endpointId: string;
}

/** A worker as in production, and customers with a receiver each. */
export interface WebhookWorld {
  readonly opened: OpenDatabase;
  readonly receiver: FaultyReceiver;
  /** The one at place `n` has the receiver of number `n`. */
  readonly customers: readonly Receiving[];
}

interface WorldOptions {
  readonly customers: number;
  readonly react: (number: number) => Reaction;
}

export async function withWebhookWorker<Result>(
  { settings }: ScenarioSetup,
  { customers: count, react }: WorldOptions,
  work: (world: WebhookWorld) => Promise<Result>,
): Promise<Result> {
  const environment = { ...settings, ALLOW_LOOPBACK_URLS: 'true', ROLE: 'worker' };
  const opened = openDatabase({ url: settings.DATABASE_URL, poolSize: WRITERS, log: { warn: () => undefined } });
  const receiver = await startFaultyReceiver(react);
  const worker = await startService(environment);
  try {
    const customers: Receiving[] = [];
    for (let number = 0; number < count; number += 1) {
      const customerId = newCustomer();
      await opened.database.customer.create({ data: { id: customerId, name: `customer ${customerId}` } });
      const { endpointId, secret } = await addReceiver(opened, environment, {
        customerId,
        url: receiver.urlOf(number),
      });
      receiver.secrets.set(number, secret);
      customers.push({ customerId, endpointId });
    }
    return await work({ opened, receiver, customers });
  } finally {
    await worker.stop();
    await receiver.close();
    await opened.close();
  }
}

/** Creates an action, which is the event `action.created`. Returns its id. */
export async function createAction(database: Database, customerId: CustomerId): Promise<string> {
  const { id } = await createSampleAction(database, {
    customerId,
    chainIdIn: CHAIN_ID,
    chainIdOut: CHAIN_ID,
    tokenIn: sampleToken('USDC', { chainId: CHAIN_ID }),
    tokenOut: sampleToken('BRLA', { chainId: CHAIN_ID }),
    steps: [{ kind: 'SWAP', operator: 'USER', protocol: 'uniswap-v3', chainId: CHAIN_ID }],
  });
  return id;
}
