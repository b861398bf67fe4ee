import { deskOf, poll, pollWith, delivered, refunded } from '../../test/actions/delivery-desk';
import { createSampleAction, historyOf, newCustomer } from '../../test/actions/sample-action';
import {
  BRIDGE,
  createSampleTransfer,
  type SampleTransfer,
  scriptedSource,
  type ScriptedSource,
  seeOrigin,
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

/** A bridge that gives back when it is asked, and remembers to whom. */
function refundingSource(): ScriptedSource & { readonly refunds: string[] } {
  const refunds: string[] = [];
  const refund = async (_shipment: unknown, refundAddress: string): Promise<void> => {
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

const ask = (
  source: ScriptedSource,
  { id, customerId }: Pick<SampleTransfer, 'id' | 'customerId'>,
  refundAddress?: string,
) => requestRefund(depsOf(source), { customerId, actionId: id, refundAddress, signal });

async function stuckTransfer(): Promise<SampleTransfer> {
  const sample = await createSampleTransfer(test.database);
  await seeOrigin(test.database, sample.id);
  return sample;
}

describe('a refund that is asked for', () => {
  it('is asked of the provider once, however often and by however many, and awaited until it is seen', async () => {
    const [source, sample] = [refundingSource(), await stuckTransfer()];
    const answers = await Promise.all(Array.from({ length: 5 }, () => ask(source, sample, REFUND_TO)));
    expect(answers.every(({ substatus }) => substatus === 'REFUND_QUEUED')).toBe(true);
    expect(await ask(source, sample)).toMatchObject({ status: 'PENDING', substatus: 'REFUND_QUEUED' });
    expect(source.refunds).toEqual([REFUND_TO]);
    source.say({ status: 'inFlight', waitingFor: 'DESTINATION' });
    await poll(deskOf(test.database, source), sample.id);
    expect(await ask(source, sample)).toMatchObject({ substatus: 'REFUND_QUEUED' });
    source.say(refunded());
    await poll(deskOf(test.database, source), sample.id);
    expect(source.asked.at(-1)).toMatchObject({ request: { refundAddress: REFUND_TO } });
    expect((await historyOf(test.database, sample.id)).at(-1)).toBe('PENDING>REFUNDED REFUND_SENT');
    expect(source.refunds).toHaveLength(1);
  });

  it('may be asked for after the provider gave up, and goes back to the sender by default', async () => {
    const [source, sample] = [refundingSource(), await stuckTransfer()];
    await pollWith(test.database, sample.id, { state: { status: 'failed', reason: 'gave up' } });
    expect(await ask(source, sample)).toMatchObject({ status: 'FAILED', substatus: 'REFUND_QUEUED' });
    await ask(source, sample);
    const { originAddress } = await test.database.action.findUniqueOrThrow({ where: { id: sample.id } });
    expect(source.refunds).toEqual([originAddress]);
    await pollWith(test.database, sample.id, { state: refunded() });
    await expect(ask(source, sample)).rejects.toMatchObject({ status: 422 });
  });

  it('tells what the provider says against it, and nothing changes', async () => {
    const sample = await stuckTransfer();
    const before = await historyOf(test.database, sample.id);
    for (const code of ['INSUFFICIENT_AMOUNT_FOR_REFUND', 'REFUND_PROCESSING_FAILED'] as const) {
      const source = scriptedSource({ refund: () => Promise.reject(serviceError(code)) });
      await expect(ask(source, sample, REFUND_TO)).rejects.toMatchObject({ code });
    }
    expect(await historyOf(test.database, sample.id)).toEqual(before);
    expect(await test.database.action.findUnique({ where: { id: sample.id } })).toMatchObject({ refundAddress: null });
  });

  it('is given up by the provider that takes too long over it, and nothing changes', async () => {
    const sample = await stuckTransfer();
    const before = await historyOf(test.database, sample.id);
    const source = scriptedSource({
      refund: (_, __, patience) =>
        new Promise((___, reject) =>
          patience.addEventListener('abort', () => reject(serviceError('REFUND_PROCESSING_FAILED'))),
        ),
    });
    const { id: actionId, customerId } = sample;
    const impatient = { ...depsOf(source), refundTimeoutMs: 50 };
    const asked = requestRefund(impatient, { customerId, actionId, refundAddress: undefined, signal });
    await expect(asked).rejects.toMatchObject({ code: 'REFUND_PROCESSING_FAILED' });
    expect(await historyOf(test.database, sample.id)).toEqual(before);
  });

  it('makes no sense for what was never sent, has arrived, or comes back by itself: 422 with words', async () => {
    const source = refundingSource();
    const unsent = await createSampleTransfer(test.database);
    const done = await stuckTransfer();
    await pollWith(test.database, done.id, { state: delivered() });
    const words = async (sample: SampleTransfer, asked: ScriptedSource = source): Promise<unknown> => {
      const error = await ask(asked, sample).catch((caught: unknown) => caught);
      expect(error).toMatchObject({ code: 'VALIDATION_ERROR', status: 422 });
      return (error as Error).message;
    };
    expect(await words(unsent)).toContain('no input was sent yet');
    expect(await words(done)).toContain('it has succeeded');
    expect(await words(await stuckTransfer(), scriptedSource())).toContain('come by themselves');
    expect(source.refunds).toEqual([]);
  });

  it('refuses actions without a bridge, foreign ones, and addresses that are wrong or blocked', async () => {
    const [source, sample] = [refundingSource(), await stuckTransfer()];
    const swap = await createSampleAction(test.database);
    await expect(ask(source, swap)).rejects.toMatchObject({ code: 'INVALID_ACTION_TYPE', status: 400 });
    const foreign = { ...sample, customerId: newCustomer() };
    await expect(ask(source, foreign)).rejects.toMatchObject({ code: 'ACTION_NOT_FOUND' });
    const wrong = { code: 'VALIDATION_ERROR', details: { errors: [{ path: 'refundAddress' }] } };
    await expect(ask(source, sample, 'bc1qwrong')).rejects.toMatchObject(wrong);
    await expect(ask(source, sample, BLOCKED)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    expect(source.refunds).toEqual([]);
  });
});
