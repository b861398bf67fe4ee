import { Client } from 'pg';
import { expectFailure } from '../rest/expect-failure';
import { deploymentOf } from '../rest/error-codes-world';
import { newWallet } from '../rest/error-codes-wallet';
import { customerNamed, runningService, sendRequest } from '../setup/running-service';

/** No other test sets the fees of this customer for it. */
const VAULT = 'ExitFee-USDC-devnet';
const COLLECTOR = '0x00000000000000000000000000000000000C0111';

const service = runningService();
const own = customerNamed(service, 'load');
let database: Client;
beforeAll(async () => {
  database = new Client({ connectionString: deploymentOf()['DATABASE_URL'] });
  await database.connect();
  await database.query(
    `INSERT INTO "CustomerStrategy"
       ("customerId", "strategyId", "chainId", "entryBps", "performanceBps", "markupBps", "feeCollector")
     VALUES ($1, $2, 31337, 0, 100, 0, $3)`,
    [own.id, VAULT.toLowerCase(), COLLECTOR],
  );
});
afterAll(async () => {
  await database.query('DELETE FROM "CustomerStrategy" WHERE "customerId" = $1 AND "strategyId" = $2', [
    own.id,
    VAULT.toLowerCase(),
  ]);
  await database.end();
});

const asUser = (
  query: string,
  { name = 'load', role = 'owner' }: { name?: string; role?: 'owner' | 'viewer' } = {},
) => {
  const { apiKey, bearer } = customerNamed(service, name);
  const headers = { 'x-api-key': undefined, authorization: `Bearer ${bearer[role]}` };
  return sendRequest(service.graphqlUrl, apiKey, { body: { query }, headers });
};
const enrol = async () => {
  const { address } = await newWallet(service, 'devnet');
  const query = `mutation { enrolWallet(strategyId: "${VAULT}", wallet: "${address}") { maxBps } }`;
  return sendRequest(service.graphqlUrl, own.apiKey, { body: { query } });
};
const collectionOf = (name: string) =>
  asUser(
    `{ customerStrategy(strategyId: "${VAULT}") {
       recurringCollection { state intervalDays registryAddress nextRunAt reason runs { data { state } pagination { total } } } } }`,
    { name },
  );

it('a customer turns its own collection on, and a wallet enrols once the chain has its entry', async () => {
  expect((await collectionOf('load')).body.data).toEqual({ customerStrategy: { recurringCollection: null } });
  expectFailure(await enrol(), 'CUSTOMER_STRATEGY_NOT_FOUND');
  const change = `mutation { setRecurringCollection(strategyId: "${VAULT}", state: LIVE, intervalDays: 7) {
    recurringCollection { state intervalDays registryAddress } } }`;
  expectFailure(await asUser(change, { role: 'viewer' }), 'FORBIDDEN');
  expectFailure(await asUser(change.replace('7', '0')), 'VALIDATION_ERROR');
  const { recurringCollection } = (await asUser(change)).body.data.setRecurringCollection;
  expect(recurringCollection).toEqual({
    state: 'PENDING',
    intervalDays: 7,
    registryAddress: expect.stringMatching(/^0x[\dA-Fa-f]{40}$/),
  });
  expect((await collectionOf('load')).body.data.customerStrategy.recurringCollection).toMatchObject({
    intervalDays: 7,
    runs: { data: [], pagination: { total: 0 } },
  });
  expectFailure(await collectionOf('other'), 'CUSTOMER_STRATEGY_NOT_FOUND');
  expectFailure(await asUser(change, { name: 'other' }), 'CUSTOMER_STRATEGY_NOT_FOUND');
});
