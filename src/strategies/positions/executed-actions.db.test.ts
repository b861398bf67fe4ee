import { zeroAddress } from 'viem';
import { newCustomer, sampleToken } from '../../../test/actions/sample-action';
import { createTestDatabase, type TestDatabase } from '../../../test/setup/test-database';
import { createOperation, executeOperation, OPERATED, OPERATOR } from '../../../test/strategies/executed-operation';
import { addressOf } from '../../../test/strategies/scripted-catalog';
import type { CustomerId } from '../../auth/principal';
import { readWalletActions } from './executed-actions';

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

const create = (given: Parameters<typeof createOperation>[1]) => createOperation(test, given);
const execute = (actionId: string, given?: Parameters<typeof executeOperation>[2]) =>
  executeOperation(test, actionId, given);

const read = async (customerId: CustomerId, maximum?: number) =>
  (await readWalletActions(test, { customerId, wallets: [OPERATOR] }, maximum)).get(OPERATOR);

describe('the executed actions of a wallet', () => {
  it('have the assets that their call states, as soon as the transaction is seen and after it is final', async () => {
    const customerId = newCustomer();
    const id = await create({ customerId, assets: 2n ** 255n });
    expect(await read(customerId)).toEqual({ pendingCount: 0, executed: [], since: undefined });
    const txHash = await execute(id);
    const executed = [
      {
        id,
        strategyId: OPERATED.id,
        kind: 'deposit',
        assets: 2n ** 255n,
        tokenOut: zeroAddress,
        chainId: 1,
        blockNumber: 100n,
        txHash,
      },
    ];
    expect(await read(customerId)).toEqual({ pendingCount: 1, executed, since: undefined });
    await test.database.actionStep.updateMany({ where: { actionId: id }, data: { status: 'CONFIRMED' } });
    await test.database.action.update({ where: { id }, data: { status: 'SUCCESS', finishedAt: new Date() } });
    expect(await read(customerId)).toEqual({ pendingCount: 0, executed, since: undefined });
  });

  it('have no amount when the call states none', async () => {
    const customerId = newCustomer();
    await execute(await create({ customerId, kind: 'WITHDRAW' }));
    expect((await read(customerId))?.executed).toMatchObject([{ kind: 'withdrawal', assets: undefined }]);
  });

  it('contain claims, with the token of their reward', async () => {
    const customerId = newCustomer();
    const tokenOut = sampleToken('RWD', { address: addressOf(5) });
    await execute(await create({ customerId, kind: 'CLAIM', type: 'REWARD_CLAIM', tokenOut }));
    expect((await read(customerId))?.executed).toMatchObject([{ kind: 'claim', tokenOut: addressOf(5) }]);
  });

  it('contain orders that were filled, also for another account: their payments are requests of the wallet', async () => {
    const customerId = newCustomer();
    const order = { customerId, kind: 'ORDER' } as const;
    const receiverAddress = addressOf(78);
    const purchase = await create({ ...order, receiverAddress });
    const sale = await create({ ...order, type: 'SAMECHAIN_INVESTMENT_WITHDRAW', receiverAddress });
    for (const id of [purchase, sale]) await execute(id);
    const executed = [purchase, sale].map((id) => ({ id, kind: 'order', assets: undefined }));
    expect((await read(customerId))?.executed).toMatchObject(executed);
  });

  it('contain the refunds of purchases', async () => {
    const customerId = newCustomer();
    const id = await create({ customerId, kind: 'TRANSFER', protocol: 'tokenized-stock' });
    await execute(id);
    const refund = { kind: 'REFUND', operator: 'SERVICE', protocol: 'transfer', chainId: 1 } as const;
    const place = { status: 'CONFIRMED', blockNumber: 105n, txHash: `0x${'5'.repeat(64)}` } as const;
    await test.database.actionStep.create({ data: { actionId: id, customerId, stepIndex: 2, ...refund, ...place } });
    const { executed = [] } = (await read(customerId)) ?? {};
    expect(executed.map(({ kind, blockNumber }) => [kind, blockNumber])).toEqual([
      ['request', 100n],
      ['request', 105n],
    ]);
  });

  it('contain the payments of purchases, and those of sales and other transfers not', async () => {
    const customerId = newCustomer();
    const payment = { customerId, kind: 'TRANSFER', protocol: 'tokenized-stock' } as const;
    const purchase = await create({ ...payment, receiverAddress: addressOf(78) });
    await execute(purchase);
    await execute(await create({ ...payment, type: 'SAMECHAIN_INVESTMENT_WITHDRAW' }));
    await execute(await create({ ...payment, protocol: 'erc4626' }));
    const { executed = [] } = (await read(customerId)) ?? {};
    expect(executed.map(({ id, kind, assets }) => [id, kind, assets])).toEqual([[purchase, 'request', undefined]]);
  });

  it('are in the order of their blocks, without those that reverted, and those for another account', async () => {
    const customerId = newCustomer();
    const later = await create({ customerId, assets: 1n });
    const earlier = await create({ customerId, assets: 2n });
    await execute(later, { number: 9n });
    await execute(earlier, { number: 8n });
    await execute(await create({ customerId, assets: 3n }), { reverted: true });
    await execute(await create({ customerId, assets: 4n, receiverAddress: addressOf(78) }));
    const found = await read(customerId);
    expect(found?.executed.map(({ id }) => id)).toEqual([earlier, later]);
    expect(found?.pendingCount).toBe(4);
  });

  it('are those of the customer, the wallet and strategies alone', async () => {
    const customerId = newCustomer();
    await execute(await create({ customerId: newCustomer(), assets: 1n }));
    await execute(await create({ customerId, assets: 1n, originAddress: addressOf(78) }));
    await execute(await create({ customerId, assets: 1n, strategy: undefined }));
    expect(await read(customerId)).toEqual({ pendingCount: 0, executed: [], since: undefined });
  });

  it('are of the last changes, whose begin is stated when there are more', async () => {
    const customerId = newCustomer();
    await execute(await create({ customerId, assets: 1n }));
    const last = await create({ customerId, assets: 2n });
    await execute(last);
    const { updatedAt } = await test.database.action.findUniqueOrThrow({ where: { id: last } });
    expect(await read(customerId, 1)).toMatchObject({ pendingCount: 2, executed: [{ id: last }], since: updatedAt });
    expect((await read(customerId, 3))?.since).toBeUndefined();
  });
});
