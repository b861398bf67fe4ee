import { listAuditEntries, type Actor } from '../../src/auth/audit-log';
import type { CustomerId } from '../../src/auth/principal';
import { createChainTable } from '../../src/chains/chain-table';
import { createApiKey } from '../../src/customers/api-keys';
import { createCustomer } from '../../src/customers/customers';
import { addApiKey, replaceApiKey, withdrawApiKey } from '../../src/customers/dashboard/manage-api-keys';
import { changeFeatures } from '../../src/customers/dashboard/manage-features';
import { chooseLimits } from '../../src/customers/dashboard/manage-limits';
import { addMember, removeMember, setMemberRole } from '../../src/customers/dashboard/manage-members';
import { cancelAction } from '../../src/actions/cancel-action';
import { requestRefund } from '../../src/actions/request-refund';
import { createOrderCanceller } from '../../src/strategies/stocks/cancel-order';
import { uuidV7 } from '../../src/persistence/uuid-v7';
import { pinToken, unpinToken } from '../../src/portfolio/balances/pinned-tokens';
import { enrolWallet } from '../../src/strategies/collection/enrol-wallet';
import {
  rotateCollectionRecipients,
  setRecurringCollection,
} from '../../src/strategies/collection/set-recurring-collection';
import { setStrategyFees } from '../../src/strategies/fees/set-strategy-fees';
import { replayDelivery, replayParked } from '../../src/webhooks/delivery-log';
import { createEndpoint, deleteEndpoint, rotateEndpointSecret, updateEndpoint } from '../../src/webhooks/endpoints';
import { sendTestEvent } from '../../src/webhooks/test-event';
import { createSampleTransfer, BRIDGE, recordOrigin, scriptedSource, someChain } from '../actions/sample-transfer';
import { createTestDatabase, type TestDatabase } from '../setup/test-database';
import { createSampleOrder } from '../strategies/sample-stock-order';
import { ScriptedExchange } from '../strategies/scripted-exchange';
import { lendingStrategy } from '../strategies/lending-strategy';
import { HOOK, sealer } from '../webhooks/webhook-world';
import { ACCESS } from './access-table';

const WALLET = '0x00000000000000000000000000000000000A11cE';
const TOKEN = '0x0000000000000000000000000000000000001000';
const LIMITS = {
  openActions: 100,
  openDrafts: 100,
  openDeliveries: 100,
  registeredWallets: 100,
  watchedWallets: 100,
  actionWatches: 100,
  quoteStreams: 50,
  rateWatches: 100,
  uploadMegabytes: 80,
  sponsoredGasUsd: 100,
  completionGasUsd: 100,
  deploymentGasUsd: 100,
};

let test: TestDatabase;
let actor: Actor;
let customerId: CustomerId;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());
beforeEach(async () => {
  ({ id: customerId } = await createCustomer(test.database, { name: 'acme' }));
  actor = { customerId, subject: 'ana', role: 'owner', requestId: 'request-1' };
});

const keys = () => ({ database: test.database, pepper: 'ab'.repeat(32) });
const hooks = () => ({ database: test.database, sealer, webhookUrls: { allowLoopback: false } });
const chains = createChainTable([someChain(31337), someChain(31338)]);
const pins = () => ({
  database: test.database,
  chains,
  rpc: { serves: () => true, request: () => Promise.reject(new Error('no call')) },
  blockedAddresses: new Set<string>(),
  tokens: {
    inspect: ({ chainId }: { readonly chainId: number }, address: string) =>
      Promise.resolve({
        token: { chainId, address, symbol: 'T', name: 'T', decimals: 6, logoURI: undefined },
        isListed: false,
        flaws: [],
      }),
  },
});

const fees = () => ({
  database: test.database,
  strategies: { ready: () => Promise.resolve(), get: () => lendingStrategy(), slugsOf: () => [] },
  defaults: { entryBps: 0, performanceBps: 0, markupBps: 0, collector: WALLET, marks: [] },
  blockedAddresses: new Set<string>(),
  findContractKind: () => Promise.resolve(undefined),
});

const REGISTRY = '0x00000000000000000000000000000000000C0111';

/** A collection that was turned off. */
async function collection() {
  const strategyId = 'any';
  const bps = { entryBps: 0, performanceBps: 1, markupBps: 0 };
  await test.database.customerStrategy.create({ data: { customerId, strategyId, chainId: 31337n, ...bps } });
  const vault = lendingStrategy().row.market;
  const entry = { registry: REGISTRY, registryVersion: 1n, vault, intervalSeconds: 86_400 };
  await test.database.recurringCollection.create({ data: { customerId, strategyId, chainId: 31337n, ...entry } });
  const zero = `0x${'0'.repeat(40)}`;
  const recipients = { performanceCollector: zero, markupRecipient: zero };
  const onChain = { vault, ...recipients, performanceBps: 0, markupBps: 0 };
  const registry = {
    addressOn: () => REGISTRY,
    readEntry: () => Promise.resolve({ ...onChain, live: false, version: 1n }),
    readWallet: () => Promise.resolve({ balance: 1n, isEnrolled: false }),
  };
  return { ...fees(), registry: registry as never };
}

async function newEndpoint(): Promise<string> {
  const { endpoint } = await createEndpoint(hooks(), { customerId, url: HOOK });
  return endpoint.id;
}

async function newDelivery(state: 'DELIVERED' | 'PARKED'): Promise<{ endpointId: string; deliveryId: string }> {
  const [endpointId, deliveryId, eventId] = [await newEndpoint(), uuidV7(), uuidV7()];
  const event = { id: eventId, customerId, type: 'webhook.test', subjectId: endpointId, body: '{}' };
  await test.database.webhookEvent.create({ data: { ...event, preparedAt: new Date() } });
  const parked = state === 'PARKED' ? { parkedReason: 'EXHAUSTED' } : {};
  const delivery = { id: deliveryId, customerId, eventId, endpointId, state, finishedAt: new Date(), ...parked };
  await test.database.webhookDelivery.create({ data: delivery });
  return { endpointId, deliveryId };
}

/** What each mutation changes; set-ups are done without a user, and are not recorded. */
const CHANGES: Readonly<Record<string, () => Promise<unknown>>> = {
  addMember: () => addMember(test, actor, { subject: 'bob', role: 'viewer' }),
  cancelAction: async () => {
    const exchange = new ScriptedExchange();
    const { actionId, owner: wallet } = await createSampleOrder(test.database, exchange, { customerId });
    await test.database.stockOrder.update({ where: { actionId }, data: { step: 'OPEN' } });
    const { database } = test;
    const orders = createOrderCanceller({ database, venue: exchange.venue, log: { warn: () => undefined }, pollMs: 1 });
    const deps = { database, chains, blockedAddresses: new Set<string>(), orders };
    return cancelAction(deps, { customerId, actor, actionId, wallet });
  },
  createApiKey: () => addApiKey(keys(), actor, { label: 'x' }),
  createWebhookEndpoint: () => createEndpoint(hooks(), { customerId, actor, url: HOOK }),
  deleteWebhookEndpoint: async () => deleteEndpoint(test, { customerId, actor, endpointId: await newEndpoint() }),
  pinToken: () => pinToken(pins(), { customerId, actor, wallet: WALLET, chainId: 31337, token: TOKEN }),
  removeMember: () => removeMember(test, actor, 'bob'),
  replayParkedWebhooks: async () => {
    const { endpointId } = await newDelivery('PARKED');
    return replayParked(test, { customerId, actor, endpointId });
  },
  replayWebhookDelivery: async () => {
    const { deliveryId } = await newDelivery('DELIVERED');
    return replayDelivery(test, { customerId, actor, deliveryId });
  },
  requestRefund: async () => {
    const { id } = await createSampleTransfer(test.database, { customerId });
    await recordOrigin(test.database, id);
    const source = scriptedSource({ refund: () => Promise.resolve() });
    const deps = {
      database: test.database,
      chains,
      sources: new Map([[BRIDGE, source]]),
      blockedAddresses: new Set<string>(),
    };
    const { signal } = new AbortController();
    return requestRefund(deps, { customerId, actor, actionId: id, refundAddress: undefined, signal });
  },
  revokeApiKey: async () => withdrawApiKey(keys(), actor, await newKey()),
  rotateApiKey: async () => replaceApiKey(keys(), actor, { keyId: await newKey(), overlapSeconds: 60 }),
  rotateWebhookSecret: () => rotateEndpointSecret(hooks(), { customerId, actor, endpointId: undefined }),
  sendTestWebhook: async () => sendTestEvent(test, { customerId, actor, endpointId: await newEndpoint() }),
  setCustomerFeatures: () => changeFeatures(test, actor, { secondaryRamp: true }),
  setCustomerLimits: () =>
    chooseLimits({ ...test, limits: LIMITS, rateLimit: { perMinute: 100, perHour: 1000 } }, actor, [
      { name: 'openActions', maximum: 1 },
    ]),
  setRecurringCollection: async () =>
    setRecurringCollection(await collection(), actor, { strategyId: 'any', state: 'OFF', intervalDays: 9 }),
  rotateCollectionRecipients: async () =>
    rotateCollectionRecipients(await collection(), actor, { strategyId: 'any', feeCollector: REGISTRY }),
  enrolWallet: async () => enrolWallet(await collection(), { customerId, actor, strategyId: 'any', wallet: WALLET }),
  setStrategyFees: () => setStrategyFees(fees(), actor, { strategyId: 'any', entryFeeBps: 5 }),
  setMemberRole: async () => {
    await test.database.member.create({ data: { customerId, subject: 'bob', role: 'viewer' } });
    return setMemberRole(test, actor, { subject: 'bob', role: 'developer' });
  },
  unpinToken: async () => {
    const pin = { customerId, wallet: WALLET, chainId: 31337, token: TOKEN };
    await pinToken(pins(), pin);
    return unpinToken(pins(), { ...pin, actor });
  },
  updateWebhookEndpoint: async () =>
    updateEndpoint(hooks(), { customerId, actor, endpointId: await newEndpoint(), url: `${HOOK}?token=canary` }),
};

/** A key that the operator made. */
async function newKey(): Promise<string> {
  const created = await createApiKey(keys(), { customerId, label: 'x' });
  return created!.id;
}

/** Its record is tested where its chain is: `report-transaction.chain.test.ts`. */
const ELSEWHERE = 'reportActionTransaction';

describe('every change by a user of the dashboard', () => {
  it('has a case here', () => {
    const mutations = Object.entries(ACCESS).filter(
      ([name, { permission }]) => name.startsWith('Mutation.') && permission !== undefined,
    );
    const names = mutations.map(([name]) => name.slice('Mutation.'.length));
    expect([...Object.keys(CHANGES), ELSEWHERE].toSorted()).toEqual(names.toSorted());
  });

  it.each(Object.keys(CHANGES))('by %s is recorded once, without secrets and texts', async (operation) => {
    const result = await CHANGES[operation]!();
    const { entries } = await listAuditEntries(test, { customerId });
    expect(entries).toMatchObject([{ operation, subject: 'ana', role: 'owner', requestId: 'request-1' }]);
    const record = JSON.stringify(entries);
    expect(record).not.toContain('canary');
    expect(record).not.toContain('hooks.example.com');
    const secrets = /(sk_live_\w+_\w{20,}|whsec_[\w+/=]+)/.exec(JSON.stringify(result ?? ''));
    if (secrets !== null) expect(record).not.toContain(secrets[0]);
  });

  it('leaves no record when a webhook endpoint stays as it is, and one when its breaker closes', async () => {
    const endpointId = await newEndpoint();
    const key = { customerId, actor, endpointId };
    const same = { url: HOOK, eventTypes: [], ordering: 'action', enabled: true };
    const operations = async () => (await listAuditEntries(test, { customerId })).entries.map(({ detail }) => detail);
    await updateEndpoint(hooks(), { ...key, ...same });
    await updateEndpoint(hooks(), key);
    expect(await operations()).toEqual([]);
    await test.database.webhookEndpoint.updateMany({ where: { id: endpointId }, data: { openUntil: new Date() } });
    await updateEndpoint(hooks(), { ...key, ...same, ordering: 'none' });
    expect(await operations()).toEqual([{ ordering: 'none', enabled: true }]);
    await updateEndpoint(hooks(), { ...key, enabled: false });
    await updateEndpoint(hooks(), { ...key, enabled: false });
    expect(await operations()).toHaveLength(2);
  });

  it.each(Object.keys(CHANGES))('by %s is undone when it cannot be recorded', async (operation) => {
    actor = { ...actor, requestId: 'text that PostgreSQL refuses: \0' };
    await expect(CHANGES[operation]!()).rejects.toThrow();
    const count = (table: { count(query: object): Promise<number> }, where: object = {}) =>
      table.count({ where: { customerId, ...where } });
    const { member, customer, pinnedToken, webhookEndpoint, webhookSecret, apiKey } = test.database;
    const made = {
      createApiKey: () => count(apiKey),
      addMember: () => count(member),
      removeMember: () => count(member),
      setMemberRole: () => count(member, { role: 'developer' }),
      revokeApiKey: () => count(apiKey, { revokedAt: { not: null } }),
      rotateApiKey: () => count(apiKey, { expiresAt: { not: null } }),
      setStrategyFees: () => count(test.database.customerStrategy),
      setRecurringCollection: () => count(test.database.recurringCollection, { intervalSeconds: { gt: 86_400 } }),
      rotateCollectionRecipients: () => count(test.database.customerStrategy, { feeCollector: { not: null } }),
      enrolWallet: () => count(test.database.collectionEnrolment),
      createWebhookEndpoint: () => count(webhookEndpoint),
      deleteWebhookEndpoint: () => count(webhookEndpoint, { state: 'DELETED' }),
      updateWebhookEndpoint: () => count(webhookEndpoint, { url: { contains: 'canary' } }),
      rotateWebhookSecret: () => count(webhookSecret),
      pinToken: () => count(pinnedToken),
      setCustomerFeatures: () => customer.count({ where: { id: customerId, secondaryRamp: true } }),
      setCustomerLimits: () => customer.count({ where: { id: customerId, chosenLimits: { not: {} } } }),
      requestRefund: () => count(test.database.action, { substatus: 'REFUND_QUEUED' }),
      cancelAction: () => count(test.database.stockOrder, { step: { not: 'OPEN' } }),
      sendTestWebhook: () => count(test.database.webhookEvent),
      replayWebhookDelivery: () => count(test.database.webhookDelivery, { state: 'WAITING' }),
      replayParkedWebhooks: () => count(test.database.webhookDelivery, { state: 'WAITING' }),
      unpinToken: async () => 1 - (await count(pinnedToken)), // it is still pinned
    };
    expect(await made[operation as keyof typeof made]()).toBe(0);
  });
});
