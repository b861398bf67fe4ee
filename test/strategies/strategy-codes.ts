import type { ErrorCode } from '../../src/errors/catalog';
import { ABSENT_ID } from '../rest/error-codes-cases';
import type { NewWallet } from '../rest/error-codes-wallet';
import type { ErrorWorld } from '../rest/error-codes-world';
import { customerNamed, type RestResponse, sendRequest } from '../setup/running-service';

const AAVE = 'Aave-USDC-devnet';
/** No other test sets its fees. */
const OWN = 'Gated-USDC-devnet';
const COLLECTOR = '0x00000000000000000000000000000000000C0111';
const PARTNER = '0x0000000000000000000000000000000000009A27';

interface StrategyWorld extends ErrorWorld {
  readonly wallet: NewWallet;
}

/** Prepares a state in which a request fails with the code, and sends this request. */
export type StrategyCase = (world: StrategyWorld) => Promise<RestResponse>;

const lend = ({ wallet }: StrategyWorld, fields: Readonly<Record<string, string>> = {}, id = AAVE): string =>
  `/strategies/${id}/bytecode?${new URLSearchParams({ wallet: wallet.address, action: 'lend', amount: '1000000', ...fields }).toString()}`;

/** Executes a GraphQL operation as a user of the dashboard of the customer `demo`. */
function asUser({ service }: StrategyWorld, query: string): Promise<RestResponse> {
  const { apiKey, bearer } = customerNamed(service, 'demo');
  const headers = { 'x-api-key': undefined, authorization: `Bearer ${bearer.developer}` };
  return sendRequest(service.graphqlUrl, apiKey, { body: { query }, headers });
}

const setFees = (world: StrategyWorld, fields: string): Promise<RestResponse> =>
  asUser(world, `mutation { setStrategyFees(strategyId: "${OWN}", ${fields}) { strategyId } }`);
const RAISED = `performanceFeeBps: 700, feeCollector: "${COLLECTOR}"`;

/** A request for higher fees that no worker begins. */
async function withOpenRequest(world: StrategyWorld): Promise<RestResponse> {
  const { database, service } = world;
  const key = [customerNamed(service, 'demo').id, OWN.toLowerCase()];
  await database.query(
    `WITH strategy AS (
       INSERT INTO "CustomerStrategy" ("customerId", "strategyId", "chainId", "entryBps", "performanceBps", "markupBps")
       VALUES ($1, $2, 31337, 0, 0, 0))
     INSERT INTO "FeeActivation" (id, "customerId", "strategyId", "chainId", "performanceBps", "markupBps", "nextAt")
     VALUES (gen_random_uuid(), $1, $2, 31337, 1, 0, now() + interval '1 day')`,
    key,
  );
  try {
    return await setFees(world, RAISED);
  } finally {
    await database.query('DELETE FROM "CustomerStrategy" WHERE "customerId" = $1 AND "strategyId" = $2', key);
  }
}

/** The table of tasks no longer accepts those of the strategy. */
async function withoutStorage(world: StrategyWorld): Promise<RestResponse> {
  const { database } = world;
  const refuse = `CHECK ("strategyId" <> '${OWN.toLowerCase()}') NOT VALID`;
  await database.query(`ALTER TABLE "FeeActivation" ADD CONSTRAINT "no_space" ${refuse}`);
  try {
    return await setFees(world, RAISED);
  } finally {
    await database.query('ALTER TABLE "FeeActivation" DROP CONSTRAINT "no_space"');
  }
}

interface StoredFees {
  readonly performanceBps?: number;
  readonly markupBps?: number;
  /** Version of the entry that the chain is supposed to have; without one there is no collection yet. */
  readonly registryVersion?: number;
  /** State of a run of the collection. */
  readonly run?: string;
}

/** Sends a request while the customer has these fees for a strategy, and a collection of them that is off. */
async function withFees(
  world: StrategyWorld,
  { performanceBps = 0, markupBps = 0, registryVersion, run }: StoredFees,
  request: () => Promise<RestResponse>,
): Promise<RestResponse> {
  const { database, service } = world;
  const key = [customerNamed(service, 'demo').id, OWN.toLowerCase()];
  await database.query(
    `INSERT INTO "CustomerStrategy"
       ("customerId", "strategyId", "chainId", "entryBps", "performanceBps", "markupBps", "feeCollector")
     VALUES ($1, $2, 31337, 0, $3, $4, $5)`,
    [...key, performanceBps, markupBps, COLLECTOR],
  );
  if (registryVersion !== undefined)
    await database.query(
      `INSERT INTO "RecurringCollection"
         ("customerId", "strategyId", "chainId", "intervalSeconds", registry, "registryVersion")
       VALUES ($1, $2, 31337, 86400, $3, $4)`,
      [...key, COLLECTOR, registryVersion],
    );
  if (run !== undefined)
    await database.query(
      `INSERT INTO "CollectionRun" (id, "customerId", "strategyId", period, state)
       VALUES (gen_random_uuid(), $1, $2, 1, $3)`,
      [...key, run],
    );
  try {
    return await request();
  } finally {
    await database.query('DELETE FROM "CustomerStrategy" WHERE "customerId" = $1 AND "strategyId" = $2', key);
  }
}

const turnOn = (world: StrategyWorld): Promise<RestResponse> =>
  asUser(world, `mutation { setRecurringCollection(strategyId: "${OWN}", state: LIVE) { strategyId } }`);
const rotate = (world: StrategyWorld): Promise<RestResponse> =>
  asUser(
    world,
    `mutation { rotateCollectionRecipients(strategyId: "${OWN}", feeCollector: "${PARTNER}") { strategyId } }`,
  );

/** A request for each code of the table "Strategies, fees, recurring collection" that this version returns. */
export const STRATEGY_CASES: Partial<Record<ErrorCode, StrategyCase>> = {
  ACTION_NOT_FOUND: ({ healthy }) => healthy(`/actions/${ABSENT_ID}`),
  STRATEGY_NOT_FOUND: (world) => world.healthy(lend(world, {}, 'Nowhere-USDC-devnet')),
  CUSTOMER_STRATEGY_NOT_FOUND: (world) =>
    asUser(world, `{ customerStrategy(strategyId: "Aave-USDC-devnet-l2") { entryFeeBps } }`),
  FEE_ACTIVATION_IN_PROGRESS: withOpenRequest,
  FEE_ACTIVATION_TASK_NOT_PERSISTED: withoutStorage,
  MARKUP_RECIPIENT_CONFLICTS_WITH_PERFORMANCE_COLLECTOR: (world) =>
    setFees(world, `feeCollector: "${COLLECTOR}", markupRecipient: "${COLLECTOR.toLowerCase()}"`),
  RECURRING_COLLECTION_REQUIRES_FEE: (world) => withFees(world, {}, () => turnOn(world)),
  RECURRING_MARKUP_RECIPIENT_REQUIRED: (world) => withFees(world, { markupBps: 5 }, () => turnOn(world)),
  RECURRING_RECIPIENT_ROTATION_PENDING_DISPATCH: (world) =>
    withFees(world, { performanceBps: 5, registryVersion: 0, run: 'DISPATCHED' }, () => rotate(world)),
  RECURRING_REGISTRY_MISMATCH: (world) =>
    withFees(world, { performanceBps: 5, registryVersion: 4 }, () => turnOn(world)),
  FROM_TOKEN_NOT_SUPPORTED: (world) =>
    world.healthy(lend(world, { fromTokenAddress: COLLECTOR, fromChainId: 'devnet' })),
  PRICE_IN_USD_NOT_SUPPORTED: (world) => world.healthy(lend(world, { priceInUsd: '15000' })),
  EXPIRE_AT_NOT_SUPPORTED: (world) => world.healthy(lend(world, { expireAt: '1900000000' })),
  LENDING_SERVICE_UNAVAILABLE: (world) => world.degraded(lend(world, {}, 'Aave-USDC-devnet-l2')),
  LENDING_BAD_REQUEST: (world) => world.healthy(lend(world, { amount: (10n ** 30n).toString() })),
};

/** The codes of the table that no request returns, with the reason. */
export const UNSERVED_CODES: Partial<Record<ErrorCode, string>> = {};

const STOCKS_ON_CHAIN = 'test/strategies/stocks.chain.test.ts';
const COLLECTION = 'src/strategies/collection/set-recurring-collection.db.test.ts';

/**
 * The codes of the table for a third party or a database that fails within an order, and for a deployment without orders: the
 * running service of the tests has neither, nor a chain without a registry of collections. The file that tests each of them.
 */
export const CODES_TESTED_BELOW_HTTP: Partial<Record<ErrorCode, string>> = {
  ACTION_CANCEL_REFUND_QUEUE_FAILED: 'src/strategies/stocks/cancel-order.db.test.ts',
  RECURRING_REGISTRY_CONTROLLER_NOT_CONFIGURED: COLLECTION,
  TOKENIZED_STOCK_NOT_CONFIGURED: STOCKS_ON_CHAIN,
  TOKENIZED_STOCK_ATTESTATION_FAILED: STOCKS_ON_CHAIN,
  TOKENIZED_STOCK_SOFT_QUOTE_UNAVAILABLE: STOCKS_ON_CHAIN,
  TOKENIZED_STOCK_FLOOR_BREACH: STOCKS_ON_CHAIN,
};
