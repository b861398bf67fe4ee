import { keccak256 } from 'viem';
import { expireActions } from '../../src/actions/state/expire-actions';
import type { DeliveryDeps } from '../../src/actions/delivery/delivery-deps';
import { failRevertedStep } from '../../src/actions/tracker/fail-reverted-step';
import { matchTransactions } from '../../src/actions/tracker/match-transactions';
import { findOpenCall } from '../../src/actions/tracker/open-calls';
import { openWork } from '../../src/actions/tracker/open-work';
import { submittedSteps } from '../../src/actions/tracker/submitted-steps';
import type { DeliverySource } from '../../src/venues/delivery-source';
import { deskOf, poll, refunded } from '../actions/delivery-desk';
import { ALICE, historyOf, newCustomer, ROUTER, sampleToken, someCalldata } from '../actions/sample-action';
import {
  BRIDGE,
  createSampleTransfer,
  scriptedSource,
  type ScriptedSource,
  recordOrigin,
} from '../actions/sample-transfer';
import { createTestDatabase, type TestDatabase } from '../setup/test-database';
import { BRL, chains } from '../swaps/swap-world';

const CHAIN = 31_337;
const USDC = sampleToken('USDC', { chainId: CHAIN });

let test: TestDatabase;
let source: ScriptedSource;
beforeEach(async () => {
  test = await createTestDatabase();
  source = scriptedSource();
});
afterEach(() => test.drop());

const past = (): Date => new Date(Date.now() - 1000);
const actionOf = (id: string) => test.database.action.findUniqueOrThrow({ where: { id } });
const deliveryOf = (actionId: string) => test.database.delivery.findUniqueOrThrow({ where: { actionId } });
const callsOf = (actionId: string) => test.database.actionCall.findMany({ where: { actionId } });
const stepsOf = async (actionId: string) =>
  (await test.database.actionStep.findMany({ where: { actionId }, orderBy: { stepIndex: 'asc' } })).map(
    ({ status }) => status,
  );
const depsWith = (scripted: ScriptedSource): DeliveryDeps => ({ ...deskOf(test.database, scripted), chains });
const pollNow = (id: string): Promise<void> => poll(depsWith(source), id);

/** An off-ramp of USDC to a bank with this calldata. */
async function payout({ data = someCalldata(), expiresAt = past(), customerId = newCustomer() } = {}): Promise<string> {
  const { id } = await createSampleTransfer(test.database, {
    customerId,
    type: 'OFF_RAMP_FIAT',
    chainIdIn: CHAIN,
    chainIdOut: 0,
    tokenIn: USDC,
    tokenOut: BRL,
    expiresAt,
    steps: [
      { kind: 'TRANSFER', operator: 'USER', protocol: BRIDGE, chainId: CHAIN },
      { kind: 'FIAT_OUT', operator: 'PROVIDER', protocol: BRIDGE, chainId: 0 },
    ],
    calls: [{ form: 'CALL', stepIndex: 0, chainId: CHAIN, sender: ALICE, target: ROUTER, data, value: 0n }],
  });
  return id;
}

async function expired(data = someCalldata(), customerId = newCustomer()): Promise<string> {
  const id = await payout({ data, customerId });
  expect(await expireActions(test)).toBe(1);
  return id;
}

/** Ids of the actions that match a block with one transaction. */
async function matchedActionIds(data: `0x${string}`): Promise<readonly string[]> {
  const transaction = { from: ALICE, to: ROUTER, input: data, value: 0n, hash: keccak256(data) };
  const block = { number: 1n, hash: keccak256(data), timestamp: 1n, transactions: [transaction] };
  const { found } = await matchTransactions(test.database, CHAIN, [block as never]);
  const matched = await Promise.all(
    found.map(({ key }) => findOpenCall(test.database, CHAIN, { key, reverted: false })),
  );
  return matched.flatMap((call) => (call === undefined || call === 'ambiguous' ? [] : [call.actionId]));
}

const ageBy = (id: string, days: number) => test.database.$executeRaw`
  WITH aged AS (
    UPDATE "ActionStep" SET "updatedAt" = "updatedAt" - make_interval(days => ${days}) WHERE "actionId" = ${id}::uuid
  ), watched AS (
    UPDATE "ActionCall" SET "watchedUntil" = "watchedUntil" - make_interval(days => ${days}) WHERE "actionId" = ${id}::uuid)
  UPDATE "Action" SET "finishedAt" = "finishedAt" - make_interval(days => ${days}) WHERE id = ${id}::uuid`;

describe('a deposit at a ramp after its payout had expired', () => {
  it('is found and refunded: the action becomes REFUNDED', async () => {
    const data = someCalldata();
    const id = await expired(data);
    await pollNow(id);
    expect(source.polled).toMatchObject([{ isExpired: true, originTxHash: undefined, originIsFinal: false }]);
    expect(await matchedActionIds(data)).toEqual([id]);
    const originTxHash = await recordOrigin(test.database, id);
    expect(await matchedActionIds(data)).toEqual([]);
    source.respondWith({ status: 'refunding', reason: 'It came too late' });
    await pollNow(id);
    expect(source.polled.at(-1)).toMatchObject({ isExpired: true, originTxHash, originIsFinal: true });
    expect(await actionOf(id)).toMatchObject({ status: 'FAILED', substatus: 'REFUND_QUEUED' });
    source.respondWith(refunded());
    await pollNow(id);
    expect(await historyOf(test.database, id)).toEqual([
      ...['>INITIAL WAITING_ORIGIN', 'INITIAL>FAILED EXPIRED', 'FAILED>FAILED REFUND_QUEUED'],
      'FAILED>REFUNDED REFUND_SENT',
    ]);
    expect(await stepsOf(id)).toEqual(['CONFIRMED', 'SKIPPED', 'CONFIRMED']);
    await pollNow(id);
    expect(await deliveryOf(id)).toMatchObject({ nextPollAt: null });
  });

  it('is polled soon after it was seen, and rarely before', async () => {
    const id = await expired();
    await pollNow(id);
    const inMs = async () => (await deliveryOf(id)).nextPollAt!.getTime() - Date.now();
    expect(await inMs()).toBeGreaterThan(200_000);
    await recordOrigin(test.database, id, { final: false });
    await pollNow(id);
    expect(await inMs()).toBeLessThan(120_000);
  });

  it('belongs to the action that still waits for it when both have the same transaction', async () => {
    const [data, customerId] = [someCalldata(), newCustomer()];
    const late = await expired(data, customerId);
    const wanted = await payout({ data, customerId, expiresAt: new Date(Date.now() + 3_600_000) });
    expect(await matchedActionIds(data)).toEqual([wanted]);
    await recordOrigin(test.database, wanted);
    expect(await matchedActionIds(data)).toEqual([late]);
  });

  it('that reverts leaves the action unchanged, without a refund', async () => {
    const id = await expired();
    await recordOrigin(test.database, id, { final: false });
    const [step] = await submittedSteps(depsWith(source), CHAIN, {});
    await failRevertedStep(test.database, step!, { reason: 'it reverted', substatus: undefined });
    await pollNow(id);
    expect(source.polled).toEqual([]);
    expect(await actionOf(id)).toMatchObject({ status: 'FAILED', substatus: 'EXPIRED' });
    expect(await deliveryOf(id)).toMatchObject({ nextPollAt: null });
  });

  it('is polled for a week, and refunded when it is reported later', async () => {
    const id = await expired();
    expect(await openWork(test.database, CHAIN)).toBe('late');
    await ageBy(id, 6);
    await pollNow(id);
    expect(await callsOf(id)).toMatchObject([{ open: true }]);
    await ageBy(id, 2);
    await test.database.delivery.update({ where: { actionId: id }, data: { pollCount: 2000 } });
    await pollNow(id);
    expect(await deliveryOf(id)).toMatchObject({ nextPollAt: null });
    await expireActions(test);
    expect(await callsOf(id)).toMatchObject([{ open: false }]);
    expect(await openWork(test.database, CHAIN)).toBe('none');
    await recordOrigin(test.database, id);
    source.respondWith(refunded());
    await pollNow(id);
    expect(await actionOf(id)).toMatchObject({ status: 'REFUNDED' });
  });

  it('is not polled for other kinds of actions, which go on with it instead', async () => {
    const { id } = await createSampleTransfer(test.database, { expiresAt: past() });
    await expireActions(test);
    expect(await deliveryOf(id)).toMatchObject({ nextPollAt: null });
    await recordOrigin(test.database, id, { final: false });
    expect(await stepsOf(id)).toEqual(['SUBMITTED', 'PENDING']);
    expect(await actionOf(id)).toMatchObject({ status: 'PENDING', substatus: 'WAITING_CONFIRMATIONS' });
    expect((await deliveryOf(id)).nextPollAt).not.toBeNull();
  });

  it('is found and returned when an earlier one has reverted and is not final yet', async () => {
    const data = someCalldata();
    const id = await expired(data);
    const blockHash = keccak256(data);
    const reverted = await recordOrigin(test.database, id, { final: false, reverted: true, blockHash });
    expect(await matchedActionIds(data)).toEqual([id]);
    const [step] = await submittedSteps(depsWith(source), CHAIN, {});
    const originTxHash = await recordOrigin(test.database, id, { final: false, blockHash });
    await failRevertedStep(test.database, step!, { reason: 'it reverted', substatus: undefined });
    expect(await stepsOf(id)).toEqual(['SUBMITTED', 'SKIPPED']);
    const events = await test.database.actionEvent.findMany({ where: { actionId: id }, orderBy: { id: 'asc' } });
    expect(events.at(-1)?.detail).toMatchObject({ txHash: originTxHash, replaces: reverted });
    expect(await matchedActionIds(data)).toEqual([]);
    await pollNow(id);
    expect(source.polled).toMatchObject([{ isExpired: true, originTxHash }]);
    expect(await actionOf(id)).toMatchObject({ status: 'FAILED', substatus: 'EXPIRED' });
  });

  it('is returned as well when an earlier one had reverted', async () => {
    const id = await expired();
    await recordOrigin(test.database, id, { final: false });
    const [step] = await submittedSteps(depsWith(source), CHAIN, {});
    await failRevertedStep(test.database, step!, { reason: 'it reverted', substatus: undefined });
    const originTxHash = await recordOrigin(test.database, id);
    expect(await actionOf(id)).toMatchObject({ status: 'FAILED', substatus: 'EXPIRED' });
    await pollNow(id);
    expect(source.polled).toMatchObject([{ isExpired: true, originTxHash, originIsFinal: true }]);
  });
});

describe('a payout at a ramp that would execute it after any delay', () => {
  const cancelling = (outcome: () => ReturnType<NonNullable<DeliverySource['cancel']>>): ScriptedSource =>
    scriptedSource({ cancel: outcome });
  const expireCancellable = () => expireActions({ ...test, cancellableProviders: [BRIDGE] });

  it('is given up when the ramp has cancelled it, and not before', async () => {
    const id = await payout();
    let cancellations = 0;
    source = cancelling(() => {
      cancellations += 1;
      return cancellations === 1 ? Promise.reject(new Error('the connection was reset')) : Promise.resolve('cancelled');
    });
    await pollNow(id);
    expect([cancellations, (await actionOf(id)).status]).toEqual([0, 'INITIAL']);
    expect(await expireCancellable()).toBe(0);
    await pollNow(id);
    expect(await actionOf(id)).toMatchObject({ status: 'INITIAL' });
    await pollNow(id);
    expect(await historyOf(test.database, id)).toEqual(['>INITIAL WAITING_ORIGIN', 'INITIAL>FAILED EXPIRED']);
    expect((await deliveryOf(id)).nextPollAt).not.toBeNull();
    source.respondWith(refunded());
    await pollNow(id);
    expect([cancellations, (await actionOf(id)).status]).toEqual([2, 'REFUNDED']);
  });

  it('is given up when the ramp was unavailable for a week', async () => {
    const id = await payout({ expiresAt: new Date(Date.now() - 8 * 86_400_000) });
    source = cancelling(() => Promise.reject(new Error('the connection was reset')));
    expect(await expireCancellable()).toBe(1);
    expect(await actionOf(id)).toMatchObject({ status: 'FAILED', substatus: 'EXPIRED' });
  });

  it('is continued when the ramp has received the token from any sender', async () => {
    const id = await payout();
    source = cancelling(() => Promise.resolve('inProgress'));
    await expireCancellable();
    await pollNow(id);
    expect(await actionOf(id)).toMatchObject({ status: 'PENDING' });
    source.respondWith({ status: 'delivered', txHash: undefined, amount: undefined, partial: false });
    await pollNow(id);
    expect(await actionOf(id)).toMatchObject({ status: 'SUCCESS' });
    expect(source.polled).toMatchObject([{ originIsFinal: true }]);
  });

  it('is not cancelled before its expiry, nor after its transaction was seen', async () => {
    let cancellations = 0;
    source = cancelling(() => {
      cancellations += 1;
      return Promise.resolve('cancelled');
    });
    const young = await payout({ expiresAt: new Date(Date.now() + 3_600_000) });
    const seen = await payout();
    await recordOrigin(test.database, seen, { final: false });
    expect(await expireCancellable()).toBe(0);
    await pollNow(young);
    await pollNow(seen);
    expect(cancellations).toBe(0);
    expect([(await actionOf(young)).status, (await actionOf(seen)).status]).toEqual(['INITIAL', 'PENDING']);
  });
});
