import {
  ALICE,
  createSampleAction,
  historyOf,
  newCustomer,
  ROUTER,
  sampleAction,
  sampleQuote,
  someCalldata,
} from '../../test/actions/sample-action';
import { createTestDatabase, type TestDatabase } from '../../test/setup/test-database';
import { registerCalls } from './register-calls';
import { startAction } from './start-action';
import { changeStatus } from './state/change-status';

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

describe('the action of a quote', () => {
  it('is created once, however many requests are concurrent', async () => {
    const customerId = newCustomer();
    const action = sampleAction({ customerId, quoteId: await sampleQuote(test.database, customerId) });
    await Promise.all(
      Array.from({ length: 50 }, () =>
        test.database.$transaction((tx) => startAction(tx, action), { maxWait: 20_000 }),
      ),
    );
    const { id } = action;
    expect(await test.database.action.count({ where: { quoteId: action.quoteId! } })).toBe(1);
    expect(await historyOf(test.database, id)).toEqual(['>INITIAL WAITING_ORIGIN']);
    expect(await test.database.actionStep.count({ where: { actionId: id } })).toBe(1);
  });

  it('stays executed when the quote is requested again as a draft', async () => {
    const { id, customerId, quoteId } = await createSampleAction(test.database);
    await createSampleAction(test.database, { customerId, quoteId, isDraft: true });
    expect(await test.database.action.findUnique({ where: { id } })).toMatchObject({ isDraft: false });
  });

  it('never becomes the action of another customer', async () => {
    const { quoteId } = await createSampleAction(test.database);
    const foreign = sampleAction({ customerId: newCustomer(), quoteId });
    await expect(test.database.$transaction((tx) => startAction(tx, foreign))).rejects.toThrow(
      'belongs to another quote or customer',
    );
  });

  it('is not issued again once its transaction was seen or it has ended', async () => {
    const calls = [{ sender: ALICE, target: ROUTER, data: someCalldata() }];
    const [seen, ended, untouched] = [
      await createSampleAction(test.database, { calls }),
      await createSampleAction(test.database, { calls }),
      await createSampleAction(test.database, { calls }),
    ];
    await test.database.actionStep.updateMany({ where: { actionId: seen.id }, data: { status: 'SUBMITTED' } });
    await test.database.$transaction((tx) => changeStatus(tx, ended.id, { transition: 'failedBeforeOrigin' }));
    const again = ({ customerId, quoteId }: typeof seen) =>
      createSampleAction(test.database, { customerId, quoteId, calls: [{ ...calls[0]!, data: someCalldata() }] });
    for (const each of [seen, ended]) {
      await expect(again(each)).rejects.toMatchObject({ code: 'QUOTE_VALIDATION_ERROR' });
      expect(await test.database.actionCall.count({ where: { actionId: each.id } })).toBe(1);
    }
    expect(await again(untouched)).toMatchObject({ id: untouched.id });
  });

  it('keeps amounts to the last unit and makes its sender a wallet of the customer', async () => {
    const amountIn = 2n ** 256n - 1n;
    const { id, customerId } = await createSampleAction(test.database, { amountIn: amountIn as never });
    const stored = await test.database.action.findUniqueOrThrow({ where: { id } });
    expect(stored.amountIn.toFixed(0)).toBe(amountIn.toString());
    expect(await test.database.customerWallet.findMany({ where: { customerId } })).toMatchObject([{ address: ALICE }]);
  });
});

describe('the calls of an action', () => {
  const call = {
    form: 'CALL' as const,
    stepIndex: 0,
    chainId: 31337,
    sender: ALICE,
    target: ROUTER,
    data: someCalldata(),
    value: 0n,
  };

  it('are stored once, however often they are issued', async () => {
    const { id: actionId, customerId } = await createSampleAction(test.database);
    const other = { ...call, data: someCalldata() };
    for (const calls of [[call], [call, other], [other]]) {
      await test.database.$transaction((tx) => registerCalls(tx, { actionId, customerId, calls }));
    }
    expect(await test.database.actionCall.count({ where: { actionId } })).toBe(2);
  });

  it('are distinguished from the approvals that they need', async () => {
    const { id: actionId, customerId } = await createSampleAction(test.database);
    const calls = [{ ...call, data: '0x095ea7b3aa' as const }, call];
    await test.database.$transaction((tx) => registerCalls(tx, { actionId, customerId, calls }));
    const stored = await test.database.actionCall.findMany({ where: { actionId }, orderBy: { id: 'asc' } });
    expect(stored.map(({ kind }) => kind).sort()).toEqual(['APPROVAL', 'SWAP']);
    expect(stored[0]).toMatchObject({ sender: ALICE.toLowerCase(), open: true });
  });

  it('are closed once the action has ended', async () => {
    const { id: actionId, customerId } = await createSampleAction(test.database);
    await test.database.$transaction((tx) => changeStatus(tx, actionId, { transition: 'failedBeforeOrigin' }));
    await test.database.$transaction((tx) => registerCalls(tx, { actionId, customerId, calls: [call] }));
    expect(await test.database.actionCall.findMany({ where: { actionId } })).toMatchObject([{ open: false }]);
  });
});
