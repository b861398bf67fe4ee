import { delivered, deskOf, poll, pollWith, refunded } from '../../../test/actions/delivery-desk';
import { historyOf } from '../../../test/actions/sample-action';
import {
  BRIDGE,
  createSampleTransfer,
  scriptedSource,
  type ScriptedSource,
  seeOrigin,
  someHash,
} from '../../../test/actions/sample-transfer';
import { createTestDatabase, type TestDatabase } from '../../../test/setup/test-database';
import { serviceError } from '../../errors/service-error';
import type { DeliveryState } from '../../venues/delivery-source';
import { completeStep } from '../tracker/complete-step';
import { failStep } from '../tracker/fail-step';
import { submittedSteps } from '../tracker/submitted-steps';

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

const actionOf = (id: string) => test.database.action.findUniqueOrThrow({ where: { id } });
const deliveryOf = (actionId: string) => test.database.delivery.findUniqueOrThrow({ where: { actionId } });
const stepsOf = (actionId: string) =>
  test.database.actionStep.findMany({ where: { actionId }, orderBy: { stepIndex: 'asc' } });
const depsWith = (source: ScriptedSource) => deskOf(test.database, source);
const lookWith = (state: DeliveryState | Error, id: string, source?: ScriptedSource): Promise<void> =>
  pollWith(test.database, id, source === undefined ? { state } : { state, source });

describe('a transfer that is followed', () => {
  it('is left alone until its origin transaction is seen, and then says what it waits for', async () => {
    const { id } = await createSampleTransfer(test.database);
    const source = scriptedSource();
    await poll(depsWith(source), id);
    expect(source.asked).toEqual([]);
    const originTxHash = await seeOrigin(test.database, id);
    for (const waitingFor of ['CONFIRMATIONS', 'ATTESTATION', 'DESTINATION'] as const) {
      source.say({ status: 'inFlight', waitingFor, checkpoint: { waitingFor } });
      await poll(depsWith(source), id);
    }
    expect(source.asked.map(({ checkpoint }) => checkpoint)).toEqual([
      undefined,
      { waitingFor: 'CONFIRMATIONS' },
      { waitingFor: 'ATTESTATION' },
    ]);
    expect(source.asked[0]).toMatchObject({ actionId: id, originTxHash, quote: { execution: { quoted: true } } });
    expect((await historyOf(test.database, id)).slice(1)).toEqual([
      'INITIAL>PENDING WAITING_CONFIRMATIONS',
      'PENDING>PENDING WAITING_ATTESTATION',
      'PENDING>PENDING WAITING_DESTINATION',
    ]);
  });

  it('succeeds with what arrived, once its origin is final as well', async () => {
    const early = await createSampleTransfer(test.database);
    await seeOrigin(test.database, early.id, { final: false });
    await lookWith(delivered(), early.id);
    expect(await actionOf(early.id)).toMatchObject({ status: 'PENDING', substatus: 'WAITING_CONFIRMATIONS' });
    const late = await createSampleTransfer(test.database);
    await seeOrigin(test.database, late.id);
    await lookWith(delivered(undefined, 98_765_432n), late.id);
    expect(await actionOf(late.id)).toMatchObject({ status: 'SUCCESS' });
    expect((await actionOf(late.id)).amountOut.toFixed(0)).toBe('98765432');
  });

  it('fails as PARTIAL, and says how much of what arrived, when that is less than was promised at least', async () => {
    const { id } = await createSampleTransfer(test.database);
    await seeOrigin(test.database, id);
    await lookWith(delivered(undefined, 12_500_000n), id);
    expect(await actionOf(id)).toMatchObject({
      status: 'FAILED',
      substatus: 'PARTIAL',
      failureReason: 'Only 12.5 USDC arrived, less than the minimum of 98 USDC',
    });
    const other = await createSampleTransfer(test.database);
    await seeOrigin(test.database, other.id);
    await lookWith({ ...delivered(), partial: true } as DeliveryState, other.id);
    expect(await actionOf(other.id)).toMatchObject({ status: 'FAILED', substatus: 'PARTIAL' });
  });

  it('waits for a refund that is announced, and is REFUNDED with a step of its own', async () => {
    const { id } = await createSampleTransfer(test.database);
    await seeOrigin(test.database, id);
    await lookWith({ status: 'refunding', reason: 'expired' }, id);
    expect(await actionOf(id)).toMatchObject({ status: 'PENDING', substatus: 'REFUND_QUEUED' });
    await lookWith({ status: 'inFlight', waitingFor: 'DESTINATION' }, id);
    expect(await actionOf(id)).toMatchObject({ substatus: 'REFUND_QUEUED' });
    const txHash = someHash();
    await lookWith(refunded(txHash), id);
    expect(await actionOf(id)).toMatchObject({
      status: 'REFUNDED',
      substatus: 'REFUND_SENT',
      failureReason: 'nobody filled it',
    });
    expect(await stepsOf(id)).toMatchObject([
      { kind: 'BRIDGE', status: 'CONFIRMED' },
      { kind: 'BRIDGE', status: 'SKIPPED', txHash: null },
      { kind: 'REFUND', status: 'CONFIRMED', operator: 'PROVIDER', txHash, stepIndex: 2 },
    ]);
    await poll(depsWith(scriptedSource()), id);
    expect((await deliveryOf(id)).nextPollAt).toBeNull();
  });

  it('that has ended still has its origin become final, and what it says stays', async () => {
    const { id } = await createSampleTransfer(test.database);
    const txHash = await seeOrigin(test.database, id, { final: false });
    await lookWith(refunded(), id);
    const before = await actionOf(id);
    expect(before).toMatchObject({ status: 'REFUNDED' });
    const [origin] = (await submittedSteps(test.database, 31337, {})).filter((step) => step.txHash === txHash);
    await completeStep(test.database, origin!, { spent: 1n, received: undefined });
    expect(await actionOf(id)).toEqual(before);
    expect((await stepsOf(id))[0]).toMatchObject({ status: 'CONFIRMED' });
  });

  it('does not fail by its provider before its origin is final: that may have reverted, and says why', async () => {
    const { id } = await createSampleTransfer(test.database);
    const txHash = await seeOrigin(test.database, id, { final: false });
    await lookWith({ status: 'failed', reason: 'no such deposit' }, id);
    expect(await actionOf(id)).toMatchObject({ status: 'PENDING' });
    const [origin] = (await submittedSteps(test.database, 31337, {})).filter((step) => step.txHash === txHash);
    await failStep(test.database, origin!, { reason: 'The transaction reverted', substatus: 'OUT_OF_GAS' });
    const source = scriptedSource();
    await lookWith({ status: 'failed', reason: 'no such deposit' }, id, source);
    expect(source.asked).toEqual([]);
    expect(await actionOf(id)).toMatchObject({ status: 'FAILED', failureReason: 'The transaction reverted' });
    expect((await deliveryOf(id)).nextPollAt).toBeNull();
  });

  it('fails with the reason, is watched for a day, and is REFUNDED when the money comes back after all', async () => {
    const { id } = await createSampleTransfer(test.database);
    await seeOrigin(test.database, id);
    await lookWith({ status: 'failed', reason: 'the solver is insolvent' }, id);
    expect(await actionOf(id)).toMatchObject({ status: 'FAILED', failureReason: 'the solver is insolvent' });
    await lookWith({ status: 'failed', reason: 'again' }, id);
    await lookWith(delivered(), id);
    expect(await actionOf(id)).toMatchObject({ status: 'FAILED', failureReason: 'the solver is insolvent' });
    await lookWith(refunded(), id);
    expect(await actionOf(id)).toMatchObject({ status: 'REFUNDED' });
    expect((await stepsOf(id)).map(({ status }) => status)).toEqual(['CONFIRMED', 'FAILED', 'CONFIRMED']);

    const given = await createSampleTransfer(test.database);
    await seeOrigin(test.database, given.id);
    await lookWith({ status: 'failed', reason: 'lost' }, given.id);
    const yesterday = new Date(Date.now() - 86_400_001);
    await test.database.action.update({ where: { id: given.id }, data: { finishedAt: yesterday } });
    const source = scriptedSource();
    await poll(depsWith(source), given.id);
    expect(source.asked).toEqual([]);
    expect((await deliveryOf(given.id)).nextPollAt).toBeNull();
  });

  it('hands out the call that completes it while nobody sends it', async () => {
    const call = { chainId: 31338, from: '0x01', to: '0x02', data: '0x03', value: 0n } as const;
    const source = scriptedSource({ completion: () => Promise.resolve(call) });
    const { id } = await createSampleTransfer(test.database);
    await seeOrigin(test.database, id);
    await lookWith({ status: 'inFlight', waitingFor: 'COMPLETION' }, id, source);
    expect(await actionOf(id)).toMatchObject({ status: 'PENDING', substatus: 'DESTINATION_MINT_REQUIRED' });
    const shown = { chainId: '31338', from: '0x01', to: '0x02', data: '0x03', value: '0' };
    expect((await deliveryOf(id)).completion).toEqual(shown);
    await lookWith(delivered(), id, source);
    expect((await deliveryOf(id)).completion).toBeNull();
  });

  it('changes nothing while its provider cannot be asked, and is asked again later without the secrets in the log', async () => {
    const { id } = await createSampleTransfer(test.database);
    await seeOrigin(test.database, id);
    const before = await historyOf(test.database, id);
    const unavailable = serviceError(
      'PROVIDER_UNAVAILABLE',
      { provider: BRIDGE, reason: 'down' },
      { cause: new Error('https://bridge.example/?apiKey=hunter2') },
    );
    await lookWith(unavailable, id);
    expect(await historyOf(test.database, id)).toEqual(before);
    const { lastFailure, nextPollAt } = await deliveryOf(id);
    expect(lastFailure).toContain('PROVIDER_UNAVAILABLE');
    expect(lastFailure).not.toContain('hunter2');
    expect(nextPollAt!.getTime()).toBeGreaterThan(Date.now());
    await lookWith(delivered(), id);
    expect((await deliveryOf(id)).lastFailure).toBeNull();
    expect(await actionOf(id)).toMatchObject({ status: 'SUCCESS' });
  });
});

describe('a deposit', () => {
  const deposit = { address: 'bcrt1qdeposit', reference: 'request-1' };

  it('is looked for from the start, and starts its action when it is seen', async () => {
    const { id } = await createSampleTransfer(test.database, { deposit });
    const source = scriptedSource();
    await lookWith({ status: 'inFlight', waitingFor: 'DEPOSIT' }, id, source);
    expect(await actionOf(id)).toMatchObject({ status: 'INITIAL', substatus: 'WAITING_ORIGIN' });
    expect(source.asked).toMatchObject([{ deposit, originTxHash: undefined }]);
    const originTxHash = someHash().slice(2);
    await lookWith({ status: 'inFlight', waitingFor: 'CONFIRMATIONS', originTxHash }, id);
    expect(await actionOf(id)).toMatchObject({ status: 'PENDING', substatus: 'WAITING_CONFIRMATIONS' });
    expect((await stepsOf(id))[0]).toMatchObject({ status: 'SUBMITTED', txHash: originTxHash });
    await lookWith({ status: 'inFlight', waitingFor: 'DESTINATION', originTxHash }, id);
    expect((await stepsOf(id))[0]).toMatchObject({ status: 'CONFIRMED', txHash: originTxHash });
    await lookWith(delivered(), id);
    expect(await actionOf(id)).toMatchObject({ status: 'SUCCESS' });
  });

  it('that was delivered before anybody looked succeeds, and one that was refused never began', async () => {
    const quick = await createSampleTransfer(test.database, { deposit });
    await lookWith({ ...delivered(), originTxHash: someHash() }, quick.id);
    expect((await historyOf(test.database, quick.id)).slice(1)).toEqual([
      'INITIAL>PENDING WAITING_CONFIRMATIONS',
      'PENDING>SUCCESS',
    ]);
    const refused = await createSampleTransfer(test.database, { deposit });
    await lookWith({ status: 'failed', reason: 'blocked' }, refused.id);
    expect((await historyOf(test.database, refused.id)).slice(1)).toEqual(['INITIAL>FAILED']);
  });

  it('shares its transaction with others, as exchanges pay several at once', async () => {
    const originTxHash = someHash();
    for (const expected of [originTxHash, null]) {
      const { id } = await createSampleTransfer(test.database, { deposit });
      await lookWith({ status: 'inFlight', waitingFor: 'DESTINATION', originTxHash }, id);
      expect(await actionOf(id)).toMatchObject({ status: 'PENDING' });
      expect((await stepsOf(id))[0]).toMatchObject({ status: 'CONFIRMED', txHash: expected });
    }
  });
});
