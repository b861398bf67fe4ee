import { delivered, deskOf, poll, pollWith, refunded } from '../../../test/actions/delivery-desk';
import { historyOf } from '../../../test/actions/sample-action';
import {
  BRIDGE,
  createSampleTransfer,
  scriptedSource,
  type ScriptedSource,
  recordOrigin,
  someHash,
} from '../../../test/actions/sample-transfer';
import { createTestDatabase, type TestDatabase } from '../../../test/setup/test-database';
import { serviceError } from '../../errors/service-error';
import type { DeliveryState } from '../../venues/delivery-source';
import { recordConfirmedStep } from '../tracker/record-confirmed-step';
import { failRevertedStep } from '../tracker/fail-reverted-step';
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
const pollState = (state: DeliveryState | Error, id: string, source?: ScriptedSource): Promise<void> =>
  pollWith(test.database, id, source === undefined ? { state } : { state, source });

describe('a transfer', () => {
  it('is not polled until its origin transaction is seen, and then shows what it waits for', async () => {
    const { id } = await createSampleTransfer(test.database);
    const source = scriptedSource();
    await poll(depsWith(source), id);
    expect(source.polled).toEqual([]);
    const originTxHash = await recordOrigin(test.database, id);
    for (const waitingFor of ['CONFIRMATIONS', 'ATTESTATION', 'DESTINATION'] as const) {
      source.respondWith({ status: 'inFlight', waitingFor, checkpoint: { waitingFor } });
      await poll(depsWith(source), id);
    }
    expect(source.polled.map(({ checkpoint }) => checkpoint)).toEqual([
      undefined,
      { waitingFor: 'CONFIRMATIONS' },
      { waitingFor: 'ATTESTATION' },
    ]);
    expect(source.polled[0]).toMatchObject({ actionId: id, originTxHash, quote: { execution: { quoted: true } } });
    expect((await historyOf(test.database, id)).slice(1)).toEqual([
      'INITIAL>PENDING WAITING_CONFIRMATIONS',
      'PENDING>PENDING WAITING_ATTESTATION',
      'PENDING>PENDING WAITING_DESTINATION',
    ]);
  });

  it('succeeds with the amount that arrived, once its origin is final as well', async () => {
    const early = await createSampleTransfer(test.database);
    await recordOrigin(test.database, early.id, { final: false });
    await pollState(delivered(), early.id);
    expect(await actionOf(early.id)).toMatchObject({ status: 'PENDING', substatus: 'WAITING_CONFIRMATIONS' });
    const late = await createSampleTransfer(test.database);
    await recordOrigin(test.database, late.id);
    await pollState(delivered(undefined, 98_765_432n), late.id);
    expect(await actionOf(late.id)).toMatchObject({ status: 'SUCCESS' });
    expect((await actionOf(late.id)).amountOut.toFixed(0)).toBe('98765432');
  });

  it('fails as PARTIAL, with the amount that arrived in the reason, when that is below the minimum', async () => {
    const { id } = await createSampleTransfer(test.database);
    await recordOrigin(test.database, id);
    await pollState(delivered(undefined, 12_500_000n), id);
    expect(await actionOf(id)).toMatchObject({
      status: 'FAILED',
      substatus: 'PARTIAL',
      failureReason: 'Only 12.5 USDC arrived, less than the minimum of 98 USDC',
    });
    const other = await createSampleTransfer(test.database);
    await recordOrigin(test.database, other.id);
    await pollState({ ...delivered(), partial: true } as DeliveryState, other.id);
    expect(await actionOf(other.id)).toMatchObject({ status: 'FAILED', substatus: 'PARTIAL' });
  });

  it('waits for a refund that is announced, and is REFUNDED with a step of its own', async () => {
    const { id } = await createSampleTransfer(test.database);
    await recordOrigin(test.database, id);
    await pollState({ status: 'refunding', reason: 'expired' }, id);
    expect(await actionOf(id)).toMatchObject({ status: 'PENDING', substatus: 'REFUND_QUEUED' });
    await pollState({ status: 'inFlight', waitingFor: 'DESTINATION' }, id);
    expect(await actionOf(id)).toMatchObject({ substatus: 'REFUND_QUEUED' });
    const txHash = someHash();
    await pollState(refunded(txHash), id);
    expect(await actionOf(id)).toMatchObject({
      status: 'REFUNDED',
      substatus: 'REFUND_SENT',
      failureReason: 'the deposit was not filled',
    });
    expect(await stepsOf(id)).toMatchObject([
      { kind: 'BRIDGE', status: 'CONFIRMED' },
      { kind: 'BRIDGE', status: 'SKIPPED', txHash: null },
      { kind: 'REFUND', status: 'CONFIRMED', operator: 'PROVIDER', txHash, stepIndex: 2 },
    ]);
    await poll(depsWith(scriptedSource()), id);
    expect((await deliveryOf(id)).nextPollAt).toBeNull();
  });

  it('that has ended keeps its state when its origin becomes final', async () => {
    const { id } = await createSampleTransfer(test.database);
    const txHash = await recordOrigin(test.database, id, { final: false });
    await pollState(refunded(), id);
    const before = await actionOf(id);
    expect(before).toMatchObject({ status: 'REFUNDED' });
    const [origin] = (
      await submittedSteps({ ...test, log: { info: () => undefined, warn: () => undefined } }, 31337, {})
    ).filter((step) => step.txHash === txHash);
    await recordConfirmedStep(test.database, origin!, { spent: 1n, received: undefined });
    expect(await actionOf(id)).toEqual(before);
    expect((await stepsOf(id))[0]).toMatchObject({ status: 'CONFIRMED' });
  });

  it('does not fail by its provider before its origin is final: the origin may have reverted, with a better reason', async () => {
    const { id } = await createSampleTransfer(test.database);
    const txHash = await recordOrigin(test.database, id, { final: false });
    await pollState({ status: 'failed', reason: 'no such deposit' }, id);
    expect(await actionOf(id)).toMatchObject({ status: 'PENDING' });
    const [origin] = (
      await submittedSteps({ ...test, log: { info: () => undefined, warn: () => undefined } }, 31337, {})
    ).filter((step) => step.txHash === txHash);
    await failRevertedStep(test.database, origin!, { reason: 'The transaction reverted', substatus: 'OUT_OF_GAS' });
    const source = scriptedSource();
    await pollState({ status: 'failed', reason: 'no such deposit' }, id, source);
    expect(source.polled).toEqual([]);
    expect(await actionOf(id)).toMatchObject({ status: 'FAILED', failureReason: 'The transaction reverted' });
    expect((await deliveryOf(id)).nextPollAt).toBeNull();
  });

  it('fails with the reason, is watched for a day, and is REFUNDED when the tokens are returned after all', async () => {
    const { id } = await createSampleTransfer(test.database);
    await recordOrigin(test.database, id);
    await pollState({ status: 'failed', reason: 'the solver is insolvent' }, id);
    expect(await actionOf(id)).toMatchObject({ status: 'FAILED', failureReason: 'the solver is insolvent' });
    await pollState({ status: 'failed', reason: 'again' }, id);
    await pollState(delivered(), id);
    expect(await actionOf(id)).toMatchObject({ status: 'FAILED', failureReason: 'the solver is insolvent' });
    await pollState(refunded(), id);
    expect(await actionOf(id)).toMatchObject({ status: 'REFUNDED' });
    expect((await stepsOf(id)).map(({ status }) => status)).toEqual(['CONFIRMED', 'FAILED', 'CONFIRMED']);

    const given = await createSampleTransfer(test.database);
    await recordOrigin(test.database, given.id);
    await pollState({ status: 'failed', reason: 'lost' }, given.id);
    const yesterday = new Date(Date.now() - 86_400_001);
    await test.database.action.update({ where: { id: given.id }, data: { finishedAt: yesterday } });
    const source = scriptedSource();
    await poll(depsWith(source), given.id);
    expect(source.polled).toEqual([]);
    expect((await deliveryOf(given.id)).nextPollAt).toBeNull();
  });

  it('shows the call that completes it until it is sent', async () => {
    const call = { chainId: 31338, from: '0x01', to: '0x02', data: '0x03', value: 0n } as const;
    const source = scriptedSource({ completion: () => Promise.resolve(call) });
    const { id } = await createSampleTransfer(test.database);
    await recordOrigin(test.database, id);
    await pollState({ status: 'inFlight', waitingFor: 'COMPLETION' }, id, source);
    expect(await actionOf(id)).toMatchObject({ status: 'PENDING', substatus: 'DESTINATION_MINT_REQUIRED' });
    const shown = { chainId: '31338', from: '0x01', to: '0x02', data: '0x03', value: '0' };
    expect((await deliveryOf(id)).completion).toEqual(shown);
    await pollState(delivered(), id, source);
    expect((await deliveryOf(id)).completion).toBeNull();
  });

  it('changes nothing while its provider does not respond, is polled again later, and stores no secrets', async () => {
    const { id } = await createSampleTransfer(test.database);
    await recordOrigin(test.database, id);
    const before = await historyOf(test.database, id);
    const unavailable = serviceError(
      'PROVIDER_UNAVAILABLE',
      { provider: BRIDGE, reason: 'down' },
      { cause: new Error('https://bridge.example/?apiKey=hunter2') },
    );
    await pollState(unavailable, id);
    expect(await historyOf(test.database, id)).toEqual(before);
    const { lastFailure, nextPollAt } = await deliveryOf(id);
    expect(lastFailure).toContain('PROVIDER_UNAVAILABLE');
    expect(lastFailure).not.toContain('hunter2');
    expect(nextPollAt!.getTime()).toBeGreaterThan(Date.now());
    await pollState(delivered(), id);
    expect((await deliveryOf(id)).lastFailure).toBeNull();
    expect(await actionOf(id)).toMatchObject({ status: 'SUCCESS' });
  });
});

describe('a deposit', () => {
  const deposit = { address: 'bcrt1qdeposit', reference: 'request-1' };

  it('is polled from the start, and starts its action when it is seen', async () => {
    const { id } = await createSampleTransfer(test.database, { deposit });
    const source = scriptedSource();
    await pollState({ status: 'inFlight', waitingFor: 'DEPOSIT' }, id, source);
    expect(await actionOf(id)).toMatchObject({ status: 'INITIAL', substatus: 'WAITING_ORIGIN' });
    expect(source.polled).toMatchObject([{ deposit, originTxHash: undefined }]);
    const originTxHash = someHash().slice(2);
    await pollState({ status: 'inFlight', waitingFor: 'CONFIRMATIONS', originTxHash }, id);
    expect(await actionOf(id)).toMatchObject({ status: 'PENDING', substatus: 'WAITING_CONFIRMATIONS' });
    expect((await stepsOf(id))[0]).toMatchObject({ status: 'SUBMITTED', txHash: originTxHash });
    await pollState({ status: 'inFlight', waitingFor: 'DESTINATION', originTxHash }, id);
    expect((await stepsOf(id))[0]).toMatchObject({ status: 'CONFIRMED', txHash: originTxHash });
    await pollState(delivered(), id);
    expect(await actionOf(id)).toMatchObject({ status: 'SUCCESS' });
  });

  it('that was delivered before the first poll succeeds, and one that was rejected never starts', async () => {
    const quick = await createSampleTransfer(test.database, { deposit });
    await pollState({ ...delivered(), originTxHash: someHash() }, quick.id);
    expect((await historyOf(test.database, quick.id)).slice(1)).toEqual([
      'INITIAL>PENDING WAITING_CONFIRMATIONS',
      'PENDING>SUCCESS',
    ]);
    const refused = await createSampleTransfer(test.database, { deposit });
    await pollState({ status: 'failed', reason: 'blocked' }, refused.id);
    expect((await historyOf(test.database, refused.id)).slice(1)).toEqual(['INITIAL>FAILED']);
  });

  it('shares its transaction with other deposits, as exchanges pay several at once', async () => {
    const originTxHash = someHash();
    for (const expected of [originTxHash, null]) {
      const { id } = await createSampleTransfer(test.database, { deposit });
      await pollState({ status: 'inFlight', waitingFor: 'DESTINATION', originTxHash }, id);
      expect(await actionOf(id)).toMatchObject({ status: 'PENDING' });
      expect((await stepsOf(id))[0]).toMatchObject({ status: 'CONFIRMED', txHash: expected });
    }
  });
});
