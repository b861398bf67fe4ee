import { randomUUID } from 'node:crypto';
import { delivered, pollWith, refunded } from '../../test/actions/delivery-desk';
import { createSampleAction, historyOf, newCustomer, sampleQuote } from '../../test/actions/sample-action';
import { createSampleTransfer, recordOrigin, someChain, someHash } from '../../test/actions/sample-transfer';
import { createTestDatabase, type TestDatabase } from '../../test/setup/test-database';
import { transfersWithinActions } from '../../test/strategies/transfers-within-actions';
import type { CustomerId } from '../auth/principal';
import { createChainTable } from '../chains/chain-table';
import type { FindDeposit } from './confirm-deposit';
import { getAction } from './get-action';
import { swapStatus } from './swap-status';

const explorer = { name: 'Scan', url: 'https://scan.example' };
const chains = createChainTable([someChain(31337, { explorer }), someChain(31338, { explorer, name: 'Far' })]);
const deposit = { address: 'bcrt1qdeposit', reference: 'request-1' };
const { signal } = new AbortController();

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

interface StatusRequest {
  readonly id: string;
  readonly customerId: CustomerId;
  readonly btcTxHash?: string;
}

const statusOf = ({ id, customerId, btcTxHash }: StatusRequest, findDeposit?: FindDeposit) =>
  swapStatus(
    { database: test.database, chains, rpc: { serves: () => false } as never, findDeposit },
    { id, customerId, btcTxHash, signal },
  );

describe('the status of a swap between chains', () => {
  it('has the transaction of the transfer as its origin, not that of the withdrawal before it', async () => {
    const { pendingAction, execute } = transfersWithinActions(() => test);
    const { id, customerId } = await pendingAction('withdraw', []);
    for (const stepIndex of [0, 1]) await execute(id, stepIndex);
    const transfer = await test.database.actionStep.findFirstOrThrow({ where: { actionId: id, stepIndex: 1 } });
    expect((await statusOf({ id, customerId })).originTxHash).toBe(transfer.txHash);
  });

  it('has both transactions, by the id of the quote or the action', async () => {
    const sample = await createSampleTransfer(test.database);
    const originTxHash = await recordOrigin(test.database, sample.id);
    const destinationTxHash = someHash();
    await pollWith(test.database, sample.id, { state: delivered(destinationTxHash) });
    const expected = {
      id: sample.id,
      quoteId: sample.quoteId,
      status: 'SUCCESS',
      substatus: null,
      provider: 'bridge',
      originTxHash,
      originTxUrl: `https://scan.example/tx/${originTxHash}`,
      destinationTxHash,
      destinationTxUrl: `https://scan.example/tx/${destinationTxHash}`,
      refundTxHash: null,
      completion: null,
    };
    expect(await statusOf(sample)).toMatchObject(expected);
    expect(await statusOf({ ...sample, id: sample.quoteId })).toMatchObject(expected);
    const action = await getAction({ database: test.database, chains }, { ...sample, actionId: sample.id });
    expect(action.steps[1]).toMatchObject({
      txHash: destinationTxHash,
      legs: [{ kind: 'BRIDGE', operator: 'PROVIDER' }],
    });
    expect(action.amounts.breakdown.map(({ description, status }) => [description, status])).toEqual([
      ['Bridge USDC from Chain 31337 to Far.', 'completed'],
      ['Receive USDC on Far.', 'completed'],
    ]);
  });

  it('has the refund and no destination transaction', async () => {
    const sample = await createSampleTransfer(test.database);
    await recordOrigin(test.database, sample.id);
    const refundTxHash = someHash();
    await pollWith(test.database, sample.id, { state: refunded(refundTxHash) });
    const expected = { status: 'REFUNDED', substatus: 'REFUND_SENT', destinationTxHash: null, refundTxHash };
    expect(await statusOf(sample)).toMatchObject(expected);
    const action = await getAction({ database: test.database, chains }, { ...sample, actionId: sample.id });
    expect(action.refund).toMatchObject({
      status: 'CONFIRMED',
      txHash: refundTxHash,
      txUrl: `https://scan.example/tx/${refundTxHash}`,
      token: action.amounts.assetIn?.token,
      amountRaw: '99000000',
      receiverAddress: action.originAddress,
    });
    expect(action.amounts.breakdown.map(({ type, status }) => [type, status])).toEqual([
      ['BRIDGE', 'completed'],
      ['BRIDGE', 'failed'],
      ['REFUND', 'completed'],
    ]);
  });

  it('without an action has the name of the provider in the quote', async () => {
    const sample = await createSampleTransfer(test.database);
    const { database } = test;
    const known = await database.quote.findUniqueOrThrow({ where: { id: sample.quoteId } });
    const priced = { ...known, id: randomUUID(), provider: 'primary-swap', view: { provider: 'secondary brand' } };
    await database.quote.create({ data: priced as never });
    const status = await statusOf({ ...sample, id: priced.id });
    expect(status).toMatchObject({ status: 'INITIAL', provider: 'secondary brand', originTxHash: null });
  });

  it('of an expired quote without an action is failed', async () => {
    const customerId = newCustomer();
    const id = await sampleQuote(test.database, customerId);
    expect(await statusOf({ id, customerId })).toMatchObject({ status: 'INITIAL', substatus: 'WAITING_ORIGIN' });
    const deadline = new Date(Date.now() - 60_000);
    await test.database.quote.update({ where: { id }, data: { deadline } });
    const expected = { id, quoteId: id, status: 'FAILED', substatus: 'EXPIRED', updatedAt: deadline };
    expect(await statusOf({ id, customerId })).toMatchObject(expected);
    const stranger = newCustomer();
    await expect(statusOf({ id, customerId: stranger })).rejects.toMatchObject({ code: 'QUOTE_NOT_FOUND' });
  });

  it('is not available for a transfer', async () => {
    const { id, customerId } = await createSampleAction(test.database, { type: 'TRANSFER_OUT' });
    await expect(statusOf({ id, customerId })).rejects.toMatchObject({ code: 'INVALID_ACTION_TYPE', status: 400 });
  });
});

describe('a Bitcoin deposit that a caller reports', () => {
  const btcTxHash = someHash().slice(2);
  const isIt: FindDeposit = ({ chainId, address }, hash) =>
    Promise.resolve(chainId === 31337 && address === deposit.address && hash === btcTxHash);

  it('starts its action once the chain confirms it, and changes nothing the second time', async () => {
    const sample = await createSampleTransfer(test.database, { deposit });
    const status = await statusOf({ ...sample, btcTxHash: btcTxHash.toUpperCase() }, isIt);
    expect(status).toMatchObject({ status: 'PENDING', originTxHash: btcTxHash });
    expect(await statusOf({ ...sample, btcTxHash }, () => Promise.reject(new Error('not asked')))).toEqual(status);
    expect(await historyOf(test.database, sample.id)).toHaveLength(2);
  });

  it('is not found when it pays another address, is not a hash, has no deposit address, or no chain is served', async () => {
    const sample = await createSampleTransfer(test.database, { deposit });
    const bridged = await createSampleTransfer(test.database);
    const unknown = { code: 'DEPOSIT_NOT_FOUND', status: 404 };
    await expect(statusOf({ ...sample, btcTxHash: someHash().slice(2) }, isIt)).rejects.toMatchObject(unknown);
    await expect(statusOf({ ...sample, btcTxHash: 'x' }, () => Promise.resolve(true))).rejects.toMatchObject(unknown);
    const paid = { address: 'PIX', reference: 'ticket-1' };
    const fiat = await createSampleTransfer(test.database, { chainIdIn: 0, deposit: paid });
    await expect(statusOf({ ...fiat, btcTxHash }, () => Promise.resolve(true))).rejects.toMatchObject(unknown);
    await expect(statusOf({ ...bridged, btcTxHash }, isIt)).rejects.toMatchObject(unknown);
    await expect(statusOf({ ...sample, btcTxHash })).rejects.toMatchObject(unknown);
    expect(await historyOf(test.database, sample.id)).toHaveLength(1);
  });
});
