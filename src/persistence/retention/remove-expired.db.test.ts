import { randomUUID } from 'node:crypto';
import { ALICE, createSampleAction, newCustomer, sampleQuote, someCalldata } from '../../../test/actions/sample-action';
import { createSampleTransfer, recordOrigin } from '../../../test/actions/sample-transfer';
import { RETENTION } from '../../../test/setup/retention-settings';
import { createTestDatabase, type TestDatabase } from '../../../test/setup/test-database';
import { countDueRows } from './count-due-rows';
import { removeExpired, type RetentionDeps } from './remove-expired';
import { retentionRules } from './retention-rules';

const CUSTOMER = '0197a3c0-0000-7000-8000-000000000001';
const SEALED = new Uint8Array([1, 2, 3]);
const MINUTE_MS = 60_000;
const DAY = 24 * 60;

let test: TestDatabase;
beforeEach(async () => {
  test = await createTestDatabase();
});
afterEach(() => test.drop());

const { signal } = new AbortController();
const run = (options: Partial<RetentionDeps> = {}) =>
  removeExpired({ pool: test.pool, settings: RETENTION, ...options }, signal);

/** Time before now, in minutes. */
const ago = (minutes: number): Date => new Date(Date.now() - minutes * MINUTE_MS);
const AMOUNTS = { amountIn: 1, minAmountOut: 1, chainIdIn: 1, chainIdOut: 0 };

async function newQuote(deadline: Date): Promise<string> {
  const id = randomUUID();
  const route = { tokenIn: 'a', tokenOut: 'BRL', provider: 'primary', maxAmountIn: 1, expectedAmountOut: 1 };
  const json = { request: {}, view: {}, execution: {} };
  const data = { id, customerId: CUSTOMER, ...AMOUNTS, ...route, ...json, payout: SEALED, deadline };
  await test.database.quote.create({ data });
  return id;
}

const payoutOf = async (id: string) => (await test.database.quote.findUniqueOrThrow({ where: { id } })).payout;

async function newTicket(createdAt: Date, { started }: { readonly started: boolean }): Promise<string> {
  const actionId = randomUUID();
  const ids = { actionId, customerId: CUSTOMER, profileId: randomUUID(), provider: 'primary', accountId: 'a' };
  await test.database.rampTicket.create({ data: { ...ids, request: SEALED, ticket: SEALED, createdAt } });
  const wallets = { originAddress: 'a', receiverAddress: 'pix', tokenIn: {}, tokenOut: {}, fees: {} };
  const action = { id: actionId, customerId: CUSTOMER, type: 'OFF_RAMP_FIAT', expiresAt: new Date(), amountOut: 1 };
  if (started) await test.database.action.create({ data: { ...action, ...AMOUNTS, ...wallets } });
  return actionId;
}

const hasTicket = async (actionId: string) =>
  (await test.database.rampTicket.findUnique({ where: { actionId } })) !== null;
const hasAction = async (id: string) => (await test.database.action.count({ where: { id } })) === 1;
const hasQuote = async (id: string) => (await test.database.quote.count({ where: { id } })) === 1;

interface Draft {
  readonly id: string;
  readonly quoteId: string;
}

/** A draft that expired some days ago, with a call and an approval. */
async function expiredDraft(days: number, isDraft = true): Promise<Draft> {
  const call = () => ({ sender: '0x1', target: '0x2', data: someCalldata() });
  const draft = await createSampleAction(test.database, { isDraft, calls: [call(), call()] });
  await end(draft.id, 'FAILED', days);
  return draft;
}

async function end(id: string, status: 'FAILED' | 'SUCCESS' | 'REFUNDED', days: number): Promise<void> {
  const at = ago(days * DAY);
  await test.database.action.update({ where: { id }, data: { status, finishedAt: at } });
  await test.database.actionCall.updateMany({ where: { actionId: id }, data: { open: false, createdAt: at } });
  await test.database.actionEvent.updateMany({ where: { actionId: id }, data: { createdAt: at } });
}

describe('the removal of rows that are no longer needed', () => {
  it('deletes the payout of expired quotes, and keeps their other fields', async () => {
    const [valid, over, long] = await Promise.all([ago(-5), ago(30), ago(61)].map(newQuote));
    await run();
    expect(await payoutOf(valid!)).toEqual(SEALED);
    expect(await payoutOf(over!)).toEqual(SEALED); // a request that began in time may still need it
    expect(await payoutOf(long!)).toBeNull();
  });

  it('deletes tickets without an action once they can no longer get one', async () => {
    const fresh = await newTicket(ago(DAY - 60), { started: false });
    const orphan = await newTicket(ago(DAY + 60), { started: false });
    const kept = await newTicket(ago(DAY + 60), { started: true });
    await run();
    expect(await Promise.all([fresh, orphan, kept].map(hasTicket))).toEqual([true, false, true]);
  });

  it('deletes quotes that were not executed a week after they expired, and keeps those of actions', async () => {
    const [recent, old] = [await newQuote(ago(6 * DAY)), await newQuote(ago(8 * DAY))];
    const { quoteId } = await createSampleAction(test.database);
    const claimed = await sampleQuote(test.database, newCustomer());
    await test.database.quote.updateMany({
      where: { id: { in: [quoteId, claimed] } },
      data: { deadline: ago(99 * DAY) },
    });
    await test.database.quote.update({ where: { id: claimed }, data: { bytecodeHash: SEALED } });
    await run();
    expect(await Promise.all([recent, old, quoteId, claimed].map(hasQuote))).toEqual([true, false, true, true]);
  });

  it('deletes a draft with its quote and all its rows a week after it expired', async () => {
    const [recent, old, executed] = [await expiredDraft(6), await expiredDraft(8), await expiredDraft(8, false)];
    expect(await run()).toEqual({ 'drafts that have expired': 1 });
    expect(await Promise.all([recent, old, executed].map(({ id }) => hasAction(id)))).toEqual([true, false, true]);
    expect(await hasQuote(old.quoteId)).toBe(false);
    const where = { where: { actionId: old.id } };
    const { actionStep, actionCall, actionEvent } = test.database;
    expect(await Promise.all([actionStep.count(where), actionCall.count(where), actionEvent.count(where)])).toEqual([
      0, 0, 0,
    ]);
  });

  it('keeps a draft that is open, polled, watched, has a ticket or a transaction, or whose transaction the service sent', async () => {
    const open = await createSampleAction(test.database, { isDraft: true });
    const polled = await createSampleTransfer(test.database, { isDraft: true });
    await end(polled.id, 'FAILED', 9);
    const polling = { phase: 'ACTIVE', nextPollAt: new Date() } as const;
    await test.database.delivery.update({ where: { actionId: polled.id }, data: polling });
    const [ticketed, seen, sent] = [await expiredDraft(9), await expiredDraft(9), await expiredDraft(9)];
    const watched = await expiredDraft(9);
    await test.database.actionCall.updateMany({ where: { actionId: watched.id }, data: { open: true } });
    const payment = { provider: 'primary', profileId: randomUUID(), accountId: 'a', request: SEALED };
    await test.database.rampTicket.create({ data: { actionId: ticketed.id, customerId: CUSTOMER, ...payment } });
    await test.database.actionStep.updateMany({ where: { actionId: seen.id }, data: { txHash: '0xseen' } });
    const transaction = { purpose: 'p', chainId: 1, sender: 's', nonce: 1, txHash: '0x1', raw: '0x' };
    const row = { id: randomUUID(), customerId: CUSTOMER, actionId: sent.id, ...transaction };
    await test.database.serviceTransaction.create({ data: row });
    expect(await run()).toEqual({});
    const kept = [open, polled, ticketed, seen, sent, watched].map(({ id }) => hasAction(id));
    expect(await Promise.all(kept)).toEqual([true, true, true, true, true, true]);
  });

  it('keeps a draft with a deposit address, because a late payment may still have to be refunded', async () => {
    const deposit = { address: 'bc1q', reference: 'r' };
    const { id, quoteId } = await createSampleTransfer(test.database, { isDraft: true, deposit });
    await end(id, 'FAILED', 999);
    await test.database.delivery.update({ where: { actionId: id }, data: { phase: 'ENDED', nextPollAt: null } });
    expect(await run()).toEqual({});
    expect(await Promise.all([hasAction(id), hasQuote(quoteId)])).toEqual([true, true]);
    expect(await test.database.delivery.count({ where: { actionId: id } })).toBe(1);
  });

  it('keeps a draft whose transaction may be in quarantine, until the item is handled', async () => {
    const draft = await expiredDraft(9);
    const kept = async (item: { readonly stage: string; readonly sender?: string }, chainId = 31337) => {
      const fields = { item: '0x1', blockNumber: 1n, blockHash: '0xb', error: 'unreadable', nextAt: new Date() };
      await test.database.quarantine.create({ data: { ...fields, ...item, chainId } });
      const removed = await run();
      await test.database.quarantine.deleteMany();
      return removed;
    };
    expect(await kept({ stage: 'transaction', sender: ALICE.toLowerCase() })).toEqual({});
    expect(await kept({ stage: 'block' })).toEqual({});
    expect(await hasAction(draft.id)).toBe(true);
    expect(await kept({ stage: 'block' }, 1)).toEqual({ 'drafts that have expired': 1 });
  });

  it('applies all other rules when one fails, logs it, and fails in the end', async () => {
    const [draft, over] = [await expiredDraft(9), await newQuote(ago(61))];
    const query = (statement: string, values: unknown[]) =>
      statement.includes('"isDraft"') ? Promise.reject(new Error('no plan')) : test.pool.query(statement, values);
    const log = { info: jest.fn(), warn: jest.fn() };
    await expect(run({ pool: { query } as never, log })).rejects.toThrow('no plan');
    expect(log.warn.mock.calls).toMatchObject([[{ rule: 'drafts that have expired' }, expect.any(String)]]);
    expect(await payoutOf(over)).toBeNull();
    expect(await hasAction(draft.id)).toBe(true);
  });

  it('deletes calls and events of ended actions, except approvals and what an audit of the money needs', async () => {
    const call = () => ({ sender: '0x1', target: '0x2', data: someCalldata() });
    const [old, recent, running] = await Promise.all(
      [1, 2, 3].map(() => createSampleAction(test.database, { calls: [call(), call()] })),
    );
    for (const { id } of [old!, recent!, running!]) {
      const [first] = await test.database.actionCall.findMany({ where: { actionId: id } });
      await test.database.actionCall.update({ where: { id: first!.id }, data: { kind: 'APPROVAL' } });
      const event = { actionId: id, customerId: CUSTOMER, fromStatus: 'FAILED', toStatus: 'FAILED' } as const;
      for (const more of [
        { substatus: 'WAITING_CONFIRMATIONS' },
        { substatus: 'REFUND_QUEUED' },
        { detail: { late: 'true' } },
      ])
        await test.database.actionEvent.create({ data: { ...event, ...more } });
    }
    await end(old!.id, 'SUCCESS', 91);
    await end(recent!.id, 'SUCCESS', 89);
    await test.database.actionEvent.updateMany({ data: { createdAt: ago(91 * DAY) } });
    await test.database.actionCall.updateMany({ data: { createdAt: ago(91 * DAY) } });
    expect(await run()).toEqual({
      'calls of ended actions': 1,
      'events of ended actions without a change of status': 1,
    });
    const countsOf = async ({ id: actionId }: { readonly id: string }) => [
      await test.database.actionCall.count({ where: { actionId } }),
      await test.database.actionEvent.count({ where: { actionId } }),
    ];
    expect(await Promise.all([old!, recent!, running!].map(countsOf))).toEqual([
      [1, 3],
      [2, 4],
      [2, 4],
    ]);
  });

  it('deletes the data of completed tickets after their period, and keeps the row and every failed payment', async () => {
    const years = 3651 * DAY;
    const [done, failed, recent] = await Promise.all(
      [years, years, DAY].map((minutes) => newTicket(ago(minutes), { started: true })),
    );
    await end(done!, 'SUCCESS', 3651);
    await end(failed!, 'FAILED', 3651);
    await end(recent!, 'SUCCESS', 1);
    expect(await run()).toEqual({ 'personal data of completed ramp tickets': 1 });
    const sizes = async (actionId: string) => {
      const { request, ticket } = await test.database.rampTicket.findUniqueOrThrow({ where: { actionId } });
      return [request.length, ticket?.length];
    };
    expect(await Promise.all([done!, failed!, recent!].map(sizes))).toEqual([
      [0, undefined],
      [3, 3],
      [3, 3],
    ]);
  });

  it('deletes records of gas more than 400 days after it was paid', async () => {
    const newRecord = async (days: number): Promise<string> => {
      const ids = { id: randomUUID(), customerId: CUSTOMER, actionId: randomUUID(), chainId: 1 };
      const { id } = await test.database.gasSpending.create({
        data: { ...ids, kind: 'completion', wei: 1, costUsd: 1, createdAt: ago(days * DAY) },
      });
      return id;
    };
    const [kept] = [await newRecord(399), await newRecord(401)];
    expect(await run()).toEqual({ 'gas paid by the service': 1 });
    expect(await test.database.gasSpending.findMany()).toMatchObject([{ id: kept }]);
  });

  it('is bounded in each run, and shared by several processes without removing anything twice', async () => {
    await Promise.all(Array.from({ length: 60 }, () => newQuote(ago(8 * DAY))));
    await test.database.quote.updateMany({ data: { payout: null } });
    const name = 'quotes that were not executed';
    expect(await run({ batchSize: 5, maxBatches: 2 })).toEqual({ [name]: 10 });
    const removed = await Promise.all([1, 2, 3].map(() => run({ batchSize: 7 })));
    expect(removed.reduce((sum, each) => sum + (each[name] ?? 0), 0)).toBe(50);
    expect(await test.database.quote.count()).toBe(0);
  });

  it('ends when its process stops', async () => {
    await newQuote(ago(8 * DAY));
    const stopped = { pool: test.pool, settings: RETENTION };
    expect(await removeExpired(stopped, AbortSignal.abort())).toEqual({});
  });

  it('reports the due rows of each rule, and the sizes of all tables', async () => {
    await newQuote(ago(8 * DAY));
    const { rules, tables } = await countDueRows({ pool: test.pool, settings: RETENTION });
    expect(rules.map(({ rule }) => rule)).toEqual(retentionRules(RETENTION).map(({ name }) => name));
    expect(rules.filter(({ due }) => due > 0).map(({ rule, due }) => [rule, due])).toEqual([
      ['quotes that were not executed', 1],
      ['payout accounts of expired quotes', 1],
    ]);
    expect(tables.map(({ table }) => table)).toContain('Quote');
  });

  it('applies to no draft whose origin was seen: it is a draft no longer', async () => {
    const sample = await createSampleTransfer(test.database, { isDraft: true });
    await recordOrigin(test.database, sample.id);
    expect(await test.database.action.findUnique({ where: { id: sample.id } })).toMatchObject({ isDraft: false });
  });
});
