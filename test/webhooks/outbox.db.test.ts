import { randomUUID } from 'node:crypto';
import { changeStatus } from '../../src/actions/state/change-status';
import { startAction } from '../../src/actions/start-action';
import { readWebhookBacklog } from '../../src/webhooks/backlog';
import { prepareEvents, repeatFailedEvents } from '../../src/webhooks/prepare-events';
import {
  createSampleAction,
  newCustomer,
  sampleAction,
  sampleQuote,
  type SampleActionOptions,
} from '../actions/sample-action';
import { createTestDatabase, type TestDatabase } from '../setup/test-database';
import { addEndpoint, eventOf, HOOK, render, silent } from './webhook-world';

let world: TestDatabase;
beforeAll(async () => {
  world = await createTestDatabase();
});
afterAll(() => world.drop());

const deps = () => ({ database: world.database, log: silent, render });
const prepareAll = async (): Promise<void> => {
  while ((await prepareEvents(deps())) > 0);
};
const eventsAbout = (subjectId: string) =>
  world.database.webhookEvent.findMany({ where: { subjectId }, orderBy: [{ seq: 'asc' }, { occurredAt: 'asc' }] });
const typesAbout = async (subjectId: string) => (await eventsAbout(subjectId)).map(({ type }) => type);
const move = (id: string, transition: Parameters<typeof changeStatus>[2]['transition']) =>
  world.database.$transaction((tx) => changeStatus(tx, id, { transition }));

async function customerWithEndpoint(eventTypes: readonly string[] = []) {
  const customerId = newCustomer();
  const { endpoint } = await addEndpoint(world.database, customerId, { eventTypes });
  return { customerId, endpointId: endpoint.id };
}

/** The view of a quote, as far as webhooks read it. */
const VIEW = {
  id: 'x',
  status: 'pending',
  tokenIn: { amountInUSD: '100.25', priceInUSD: '1.0025' },
  tokenOut: { amountInUSD: '99.5' },
  feeBreakdown: { lines: [{ kind: 'gas', amountInUSD: '0.5' }], summary: { platformFeesTotalInUSD: '0' } },
  gasEstimate: { amountInUSD: '0.5' },
};

async function storeQuote(
  customerId: string,
  quote: { readonly webhookUrl?: string; readonly deadline?: Date; readonly view?: object } = {},
) {
  const id = randomUUID();
  const amounts = { amountIn: '1', maxAmountIn: '1', expectedAmountOut: '1', minAmountOut: '1' };
  const route = { provider: 'p', chainIdIn: 31337, chainIdOut: 31337, tokenIn: 'in', tokenOut: 'out' };
  const parts = { request: {}, view: VIEW, execution: {} };
  const deadline = quote.deadline ?? new Date(Date.now() + 300_000);
  await world.database.quote.create({ data: { id, customerId, ...route, ...amounts, ...parts, ...quote, deadline } });
  return id;
}

describe('the events of an action', () => {
  it('are written with each change of its status, in order', async () => {
    const { customerId } = await customerWithEndpoint();
    const { id } = await createSampleAction(world.database, { customerId });
    for (const transition of ['originSeen', 'failed', 'refunded'] as const)
      expect(await move(id, transition)).toBe(true);
    expect(await typesAbout(id)).toEqual(['action.created', 'action.pending', 'action.failed', 'action.refunded']);
  });

  it('are not written for a change that is rolled back', async () => {
    const { customerId } = await customerWithEndpoint();
    const { id } = await createSampleAction(world.database, { customerId });
    const rollback = world.database.$transaction(async (tx) => {
      await changeStatus(tx, id, { transition: 'originSeen' });
      throw new RangeError('rolled back');
    });
    await expect(rollback).rejects.toThrow('rolled back');
    expect(await typesAbout(id)).toEqual(['action.created']);
  });

  it('are not written for a customer without an endpoint, with a deleted one, or with one for other types', async () => {
    const [without, deleted] = [newCustomer(), await customerWithEndpoint()];
    await world.database.webhookEndpoint.update({ where: { id: deleted.endpointId }, data: { state: 'DELETED' } });
    const others = await customerWithEndpoint(['kyc.updated', 'action.succeeded']);
    for (const customerId of [without, deleted.customerId, others.customerId]) {
      const { id, quoteId } = await createSampleAction(world.database, { customerId });
      await move(id, 'originSeen');
      expect(await typesAbout(id)).toEqual([]);
      expect(await typesAbout(quoteId)).toEqual([]);
    }
  });

  it('show the action as it is when its transaction commits, also what was written after the change of the status', async () => {
    const { customerId } = await customerWithEndpoint();
    const strategy = { id: 'Aave-USDC-base', slug: 'aave-usdc-base' };
    const { id } = await createSampleAction(world.database, { customerId, strategy });
    await world.database.$transaction(async (tx) => {
      await changeStatus(tx, id, { transition: 'originSeen' });
      await tx.actionStep.updateMany({ where: { actionId: id }, data: { status: 'SUBMITTED', txHash: '0xabc' } });
    });
    await move(id, 'completed');
    await prepareAll();
    const [created, pending, succeeded] = (await eventsAbout(id)).map(({ body }) => eventOf({ body: body! }));
    expect(created).toMatchObject({
      type: 'action.created',
      data: { id, status: 'INITIAL', underlyingAssetFeeValue: '0', steps: [{ status: 'PENDING' }] },
    });
    expect(pending).toMatchObject({ data: { status: 'PENDING', steps: [{ status: 'SUBMITTED', txHash: '0xabc' }] } });
    expect(succeeded).toMatchObject({ data: { status: 'SUCCESS', amounts: { assetIn: { amountRaw: '100000000' } } } });
    expect(succeeded!.data['finishedAt']).toMatch(/^\d{4}-.*Z$/);
    expect(pending!.data).not.toHaveProperty('failureReason');
  });

  it('begin when a draft becomes an action, and a draft that expires has none', async () => {
    const { customerId } = await customerWithEndpoint();
    const draft = (options: SampleActionOptions = {}) =>
      createSampleAction(world.database, { customerId, isDraft: true, ...options });
    const [executed, seen, expired] = [await draft(), await draft(), await draft()];
    await world.database.$transaction((tx) => startAction(tx, sampleAction({ customerId, quoteId: executed.quoteId })));
    await move(seen.id, 'originSeen');
    await move(expired.id, 'failedBeforeOrigin');
    expect(await typesAbout(executed.id)).toEqual(['action.created']);
    expect(await typesAbout(seen.id)).toEqual(['action.created', 'action.pending']);
    expect(await typesAbout(expired.id)).toEqual([]);
  });

  it('go to the URL of the action alone when it has one', async () => {
    const { customerId } = await customerWithEndpoint();
    const { id } = await createSampleAction(world.database, {
      customerId,
      webhookUrl: 'https://one.example.com/x?y=1',
    });
    await prepareAll();
    const [event] = await eventsAbout(id);
    expect(event).toMatchObject({ url: 'https://one.example.com/x?y=1' });
    const deliveries = await world.database.webhookDelivery.findMany({
      where: { eventId: event!.id },
      include: { endpoint: true },
    });
    expect(deliveries.map(({ endpoint }) => [endpoint.kind, endpoint.url])).toEqual([
      ['QUOTE', 'https://one.example.com'],
    ]);
  });

  it('reach each endpoint that takes their type, and no endpoint of another customer', async () => {
    const { customerId, endpointId } = await customerWithEndpoint();
    const { endpoint: second } = await addEndpoint(world.database, customerId, { eventTypes: ['action.created'] });
    await addEndpoint(world.database, customerId, { eventTypes: ['action.failed'] });
    await customerWithEndpoint();
    const { id } = await createSampleAction(world.database, { customerId });
    await prepareAll();
    const deliveries = await world.database.webhookDelivery.findMany({ where: { event: { subjectId: id } } });
    expect(deliveries.map((delivery) => delivery.endpointId).toSorted()).toEqual([endpointId, second.id].toSorted());
  });

  it('report a payment in fiat and a payout, once each, in the order of the action', async () => {
    const { customerId } = await customerWithEndpoint();
    const step = { operator: 'PROVIDER', protocol: 'primary', chainId: 0 } as const;
    const { id } = await createSampleAction(world.database, {
      customerId,
      steps: [
        { kind: 'FIAT_IN', ...step },
        { kind: 'FIAT_OUT', ...step },
      ],
    });
    const set = (stepIndex: number, status: 'SUBMITTED' | 'CONFIRMED') =>
      world.database.actionStep.updateMany({ where: { actionId: id, stepIndex }, data: { status } });
    await set(0, 'SUBMITTED');
    await move(id, 'originSeen');
    await set(0, 'CONFIRMED');
    await set(1, 'SUBMITTED');
    await set(1, 'CONFIRMED');
    await move(id, 'completed');
    expect(await typesAbout(id)).toEqual([
      ...['action.created', 'ramp.payment_received', 'action.pending', 'ramp.payout_sent', 'action.succeeded'],
    ]);
    const seqs = (await eventsAbout(id)).map(({ seq }) => seq);
    expect(new Set(seqs).size).toBe(seqs.length);
  });
});

describe('the events of a quote', () => {
  it('are its creation, and its expiry once the deadline has passed without an execution', async () => {
    const { customerId } = await customerWithEndpoint();
    const id = await storeQuote(customerId);
    await prepareAll();
    const [created, unprepared] = await eventsAbout(id);
    expect(eventOf({ body: created!.body! })).toMatchObject({ type: 'quote.created', data: { status: 'pending' } });
    expect(unprepared).toMatchObject({ type: 'quote.expired', body: null, preparedAt: null });
    await world.database.webhookEvent.updateMany({ where: { id: unprepared!.id }, data: { dueAt: new Date() } });
    await prepareAll();
    const [, expired] = await eventsAbout(id);
    expect(eventOf({ body: expired!.body! })).toMatchObject({ type: 'quote.expired', data: { status: 'expired' } });
  });

  it('lack the expiry of a quote that was executed', async () => {
    const { customerId } = await customerWithEndpoint();
    const deadline = new Date(Date.now() - 20_000);
    const [unused, executed] = [await storeQuote(customerId, { deadline }), await storeQuote(customerId, { deadline })];
    // An executable quote has its bytecode from the start.
    await world.database.quote.update({ where: { id: unused }, data: { bytecodeHash: new Uint8Array(32) } });
    await world.database.$transaction((tx) => startAction(tx, sampleAction({ customerId, quoteId: executed })));
    await prepareAll();
    const expiryOf = async (id: string) => (await eventsAbout(id)).map(({ type, body }) => [type, body !== null])[1];
    expect(await expiryOf(unused)).toEqual(['quote.expired', true]);
    expect(await expiryOf(executed)).toEqual(['quote.expired', false]);
  });

  it('lack the expiry of a quote whose execution began before the deadline and ends after it', async () => {
    const { customerId } = await customerWithEndpoint();
    const deadline = new Date(Date.now() + 300_000);
    const id = await storeQuote(customerId, { deadline });
    await prepareAll();
    const [created, expired] = await eventsAbout(id);
    expect([created!.preparedAt !== null, expired!.preparedAt]).toEqual([true, null]);
    expect(expired!.dueAt.getTime() - deadline.getTime()).toBe(15_000);
    await world.database.quote.update({ where: { id }, data: { deadline: new Date(Date.now() - 5000) } });
    await world.database.$transaction((tx) => startAction(tx, sampleAction({ customerId, quoteId: id })));
    await world.database.webhookEvent.updateMany({ where: { subjectId: id }, data: { dueAt: new Date() } });
    await prepareAll();
    expect((await eventsAbout(id)).map(({ body }) => body !== null)).toEqual([true, false]);
  });

  it('show US dollars as numbers and omit the raw quote, whatever its size', async () => {
    const customerId = newCustomer();
    const id = await storeQuote(customerId, { webhookUrl: HOOK, view: { ...VIEW, rawQuote: 'x'.repeat(50_000) } });
    await prepareAll();
    const [created] = await eventsAbout(id);
    const { data } = eventOf({ body: created!.body! });
    expect(data).not.toHaveProperty('rawQuote');
    expect(data).toMatchObject({
      tokenIn: { amountInUSD: 100.25, priceInUSD: 1.0025 },
      feeBreakdown: { charges: [{ amountInUSD: 0.5 }], summary: { platformFeesTotalInUSD: 0 } },
    });
    expect(Buffer.byteLength(created!.body!)).toBeLessThan(20_000);
  });
});

describe('an event that cannot be prepared', () => {
  it('is set aside with the reason, and holds no other', async () => {
    const { customerId } = await customerWithEndpoint();
    const broken = await sampleQuote(world.database, customerId);
    const { id } = await createSampleAction(world.database, { customerId });
    await prepareAll();
    const [failed] = await eventsAbout(broken);
    const failure = expect.stringContaining('feeBreakdown');
    expect(failed).toMatchObject({ body: null, failure, preparedAt: expect.any(Date) });
    expect((await eventsAbout(id)).map(({ body }) => body === null)).toEqual([false]);
  });

  it('because its quote is not stored any more stays set aside when it is prepared again', async () => {
    const { customerId } = await customerWithEndpoint(['quote.created']);
    const id = await storeQuote(customerId, { view: {} });
    await prepareAll();
    await world.database.quote.delete({ where: { id } });
    expect(await repeatFailedEvents(world, customerId)).toBe(1);
    await prepareAll();
    expect(await eventsAbout(id)).toMatchObject([{ body: null, failure: expect.stringContaining('not stored') }]);
  });

  it('is counted, and sent as it was when an operator has it prepared again', async () => {
    const { database, pool, drop } = await createTestDatabase();
    const customerId = newCustomer();
    await addEndpoint(database, customerId, { eventTypes: ['action.created'] });
    const { id } = await createSampleAction(database, { customerId });
    const broken = () => Promise.reject(new Error('a defect'));
    await prepareEvents({ database, log: silent, render: broken });
    expect(await readWebhookBacklog(pool)).toMatchObject({ failed: 1 });
    await database.$transaction((tx) => changeStatus(tx, id, { transition: 'originSeen' }));
    expect(await repeatFailedEvents({ database }, newCustomer())).toBe(0);
    expect(await repeatFailedEvents({ database }, customerId)).toBe(1);
    await prepareEvents({ database, log: silent, render });
    const [{ event } = { event: undefined }] = await database.webhookDelivery.findMany({ include: { event: true } });
    expect(eventOf({ body: event!.body! })).toMatchObject({ data: { id, status: 'INITIAL' } });
    expect(event).toMatchObject({ snapshot: null, failure: null });
    expect(await readWebhookBacklog(pool)).toMatchObject({ failed: 0 });
    await drop();
  });

  it('is prepared once, however many workers prepare at the same time, and actions in order', async () => {
    const { customerId } = await customerWithEndpoint();
    const ids: string[] = [];
    for (let count = 0; count < 5; count += 1) {
      const { id } = await createSampleAction(world.database, { customerId });
      await move(id, 'originSeen');
      await move(id, 'completed');
      ids.push(id);
    }
    let left = 1;
    while (left > 0) {
      const counts = await Promise.all(Array.from({ length: 4 }, () => prepareEvents(deps())));
      left = counts.reduce((sum, count) => sum + count, 0);
    }
    for (const id of ids) {
      expect(await world.database.webhookDelivery.count({ where: { event: { subjectId: id } } })).toBe(3);
    }
  });
});
