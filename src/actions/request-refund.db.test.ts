import { deskOf, poll, pollWith, delivered, refunded } from '../../test/actions/delivery-desk';
import { createSampleAction, historyOf, newCustomer } from '../../test/actions/sample-action';
import {
  BRIDGE,
  createSampleTransfer,
  type SampleTransfer,
  scriptedSource,
  type ScriptedSource,
  recordOrigin,
  someChain,
} from '../../test/actions/sample-transfer';
import { createTestDatabase, type TestDatabase } from '../../test/setup/test-database';
import { createChainTable } from '../chains/chain-table';
import { serviceError } from '../errors/service-error';
import { requestRefund } from './request-refund';

const REFUND_TO = '0x90F79bf6EB2c4f870365E785982E1f101E93b906';
const BLOCKED = '0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65';
const chains = createChainTable([someChain(31337), someChain(31338)]);
const { signal } = new AbortController();

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

/** A bridge that refunds on request and records the refund addresses. */
function refundingSource(): ScriptedSource & { readonly refunds: string[] } {
  const refunds: string[] = [];
  const refund = async (_transfer: unknown, refundAddress: string): Promise<void> => {
    await new Promise((resolve) => setTimeout(resolve, 20));
    refunds.push(refundAddress);
  };
  return Object.assign(scriptedSource({ refund }), { refunds });
}

const depsOf = (source: ScriptedSource) => ({
  database: test.database,
  chains,
  sources: new Map([[BRIDGE, source]]),
  blockedAddresses: new Set([BLOCKED]),
});

const request = (
  source: ScriptedSource,
  { id, customerId }: Pick<SampleTransfer, 'id' | 'customerId'>,
  refundAddress?: string,
) => requestRefund(depsOf(source), { customerId, actionId: id, refundAddress, signal });

async function stuckTransfer(): Promise<SampleTransfer> {
  const sample = await createSampleTransfer(test.database);
  await recordOrigin(test.database, sample.id);
  return sample;
}

describe('a requested refund', () => {
  it('is requested from the provider once, however many requests are concurrent, and awaited until it is seen', async () => {
    const [source, sample] = [refundingSource(), await stuckTransfer()];
    const actions = await Promise.all(Array.from({ length: 5 }, () => request(source, sample, REFUND_TO)));
    expect(actions.every(({ substatus }) => substatus === 'REFUND_QUEUED')).toBe(true);
    expect(await request(source, sample)).toMatchObject({ status: 'PENDING', substatus: 'REFUND_QUEUED' });
    expect(source.refunds).toEqual([REFUND_TO]);
    source.respondWith({ status: 'inFlight', waitingFor: 'DESTINATION' });
    await poll(deskOf(test.database, source), sample.id);
    expect(await request(source, sample)).toMatchObject({ substatus: 'REFUND_QUEUED' });
    source.respondWith(refunded());
    await poll(deskOf(test.database, source), sample.id);
    expect(source.polled.at(-1)).toMatchObject({ request: { refundAddress: REFUND_TO } });
    expect((await historyOf(test.database, sample.id)).at(-1)).toBe('PENDING>REFUNDED REFUND_SENT');
    expect(source.refunds).toHaveLength(1);
  });

  it('is accepted after the provider failed, and goes to the sender by default', async () => {
    const [source, sample] = [refundingSource(), await stuckTransfer()];
    await pollWith(test.database, sample.id, { state: { status: 'failed', reason: 'gave up' } });
    expect(await request(source, sample)).toMatchObject({ status: 'FAILED', substatus: 'REFUND_QUEUED' });
    await request(source, sample);
    const { originAddress } = await test.database.action.findUniqueOrThrow({ where: { id: sample.id } });
    expect(source.refunds).toEqual([originAddress]);
    await pollWith(test.database, sample.id, { state: refunded() });
    await expect(request(source, sample)).rejects.toMatchObject({ status: 422 });
  });

  it('returns the error of the provider, and changes nothing', async () => {
    const sample = await stuckTransfer();
    const before = await historyOf(test.database, sample.id);
    for (const code of ['INSUFFICIENT_AMOUNT_FOR_REFUND', 'REFUND_PROCESSING_FAILED'] as const) {
      const source = scriptedSource({ refund: () => Promise.reject(serviceError(code)) });
      await expect(request(source, sample, REFUND_TO)).rejects.toMatchObject({ code });
    }
    expect(await historyOf(test.database, sample.id)).toEqual(before);
    expect(await test.database.action.findUnique({ where: { id: sample.id } })).toMatchObject({ refundAddress: null });
  });

  it('fails when the provider exceeds the time limit, and changes nothing', async () => {
    const sample = await stuckTransfer();
    const before = await historyOf(test.database, sample.id);
    const source = scriptedSource({
      refund: (_, __, requestSignal) =>
        new Promise((___, reject) =>
          requestSignal.addEventListener('abort', () => reject(serviceError('REFUND_PROCESSING_FAILED'))),
        ),
    });
    const { id: actionId, customerId } = sample;
    const deps = { ...depsOf(source), refundTimeoutMs: 50 };
    const refund = requestRefund(deps, { customerId, actionId, refundAddress: undefined, signal });
    await expect(refund).rejects.toMatchObject({ code: 'REFUND_PROCESSING_FAILED' });
    expect(await historyOf(test.database, sample.id)).toEqual(before);
  });

  it('keeps no transaction open and no row locked while the provider responds', async () => {
    const sample = await stuckTransfer();
    const open: unknown[] = [];
    const refund = async (): Promise<void> => {
      await test.database.$executeRaw`SELECT 1 FROM "Delivery" WHERE "actionId" = ${sample.id}::uuid FOR UPDATE NOWAIT`;
      const states = await test.database.$queryRaw<unknown[]>`
        SELECT state FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in transaction%'`;
      open.push(...states);
    };
    expect(await request(scriptedSource({ refund }), sample)).toMatchObject({ substatus: 'REFUND_QUEUED' });
    expect(open).toEqual([]);
  });

  it('is requested again after the process that requested it has crashed, and not before its lease has ended', async () => {
    const [source, sample] = [refundingSource(), await stuckTransfer()];
    const lease = (end: Date) =>
      test.database.delivery.update({ where: { actionId: sample.id }, data: { refundLeasedUntil: end } });
    await lease(new Date(Date.now() + 60_000));
    const { id: actionId, customerId } = sample;
    const waiting = new AbortController();
    setTimeout(() => waiting.abort(), 300);
    const refused = { customerId, actionId, refundAddress: undefined, signal: waiting.signal };
    await expect(requestRefund(depsOf(source), refused)).rejects.toThrow();
    expect(source.refunds).toEqual([]);
    await lease(new Date(Date.now() - 1000));
    expect(await request(source, sample)).toMatchObject({ substatus: 'REFUND_QUEUED' });
    expect(source.refunds).toHaveLength(1);
  });

  it('is recorded although the caller has left before the provider responded', async () => {
    const sample = await stuckTransfer();
    const caller = new AbortController();
    let ended: AbortSignal | undefined;
    const refund = async (_: unknown, __: unknown, requestSignal: AbortSignal): Promise<void> => {
      caller.abort();
      await new Promise((resolve) => setTimeout(resolve, 20));
      ended = requestSignal;
    };
    const { id: actionId, customerId } = sample;
    const left = { customerId, actionId, refundAddress: undefined, signal: caller.signal };
    await expect(requestRefund(depsOf(scriptedSource({ refund })), left)).rejects.toThrow();
    // A later request waits for the lease, and finds the refund recorded.
    const source = refundingSource();
    expect(await request(source, sample)).toMatchObject({ substatus: 'REFUND_QUEUED' });
    expect([ended?.aborted, source.refunds]).toEqual([false, []]);
  });

  it('is recorded when the provider has reported the failure of the transfer meanwhile', async () => {
    const sample = await stuckTransfer();
    const refund = () => pollWith(test.database, sample.id, { state: { status: 'failed', reason: 'gave up' } });
    expect(await request(scriptedSource({ refund }), sample)).toMatchObject({
      status: 'FAILED',
      substatus: 'REFUND_QUEUED',
    });
  });

  it('is not recorded when the transfer has arrived meanwhile', async () => {
    const sample = await stuckTransfer();
    const refund = () => pollWith(test.database, sample.id, { state: delivered() });
    expect(await request(scriptedSource({ refund }), sample, REFUND_TO)).toMatchObject({ status: 'SUCCESS' });
    expect(await test.database.action.findUnique({ where: { id: sample.id } })).toMatchObject({ refundAddress: null });
  });

  it('is not recorded when the output was sent meanwhile', async () => {
    const sample = await stuckTransfer();
    const before = await historyOf(test.database, sample.id);
    const where = { actionId: sample.id, stepIndex: 1 };
    const refund = async () => {
      await test.database.actionStep.updateMany({ where, data: { status: 'SUBMITTED' } });
    };
    await request(scriptedSource({ refund }), sample, REFUND_TO);
    expect(await historyOf(test.database, sample.id)).toEqual(before);
    expect(await test.database.action.findUnique({ where: { id: sample.id } })).toMatchObject({ refundAddress: null });
  });

  it('is rejected with 422 when the origin was not sent, the transfer has arrived, or the provider refunds by itself', async () => {
    const source = refundingSource();
    const unsent = await createSampleTransfer(test.database);
    const done = await stuckTransfer();
    await pollWith(test.database, done.id, { state: delivered() });
    const messageOf = async (sample: SampleTransfer, refunding: ScriptedSource = source): Promise<unknown> => {
      const error = await request(refunding, sample).catch((caught: unknown) => caught);
      expect(error).toMatchObject({ code: 'VALIDATION_ERROR', status: 422 });
      return (error as Error).message;
    };
    expect(await messageOf(unsent)).toContain('no input was sent yet');
    expect(await messageOf(done)).toContain('it has succeeded');
    expect(await messageOf(await stuckTransfer(), scriptedSource())).toContain('refunds by itself');
    expect(source.refunds).toEqual([]);
  });

  it('is rejected for actions without a bridge, foreign actions, and invalid or blocked addresses', async () => {
    const [source, sample] = [refundingSource(), await stuckTransfer()];
    const swap = await createSampleAction(test.database);
    await expect(request(source, swap)).rejects.toMatchObject({ code: 'INVALID_ACTION_TYPE', status: 400 });
    const foreign = { ...sample, customerId: newCustomer() };
    await expect(request(source, foreign)).rejects.toMatchObject({ code: 'ACTION_NOT_FOUND' });
    const wrong = { code: 'VALIDATION_ERROR', details: { errors: [{ path: 'refundAddress' }] } };
    await expect(request(source, sample, 'bc1qwrong')).rejects.toMatchObject(wrong);
    await expect(request(source, sample, BLOCKED)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    expect(source.refunds).toEqual([]);
  });
});
