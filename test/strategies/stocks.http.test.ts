import { encodeFunctionData, parseAbi } from 'viem';
import { expectFailure } from '../rest/expect-failure';
import { newWallet, type NewWallet } from '../rest/error-codes-wallet';
import { customerNamed, type RunningService, runningService, sendRequest } from '../setup/running-service';
import { untilRead } from '../resilience/until';

const STOCK = 'Acme-ACMEon-devnet';
const FAUCET = parseAbi(['function mint(address to, uint256 value)']);

let service: RunningService;
let wallet: NewWallet;
beforeAll(async () => {
  service = runningService();
  wallet = await newWallet(service, 'devnet');
  const to = service.chains.find(({ slug }) => slug === 'devnet')!.tokens['USDT']!;
  const args = [wallet.address, 1_000_000_000n] as const;
  await wallet.send([{ to, data: encodeFunctionData({ abi: FAUCET, functionName: 'mint', args }), value: '0' }]);
});

const get = (path: string) => sendRequest(`${service.baseUrl}${path}`, customerNamed(service, 'load').apiKey, {});
type Fields = Readonly<Record<string, string>>;
const order = (fields: Fields) => {
  const query = new URLSearchParams({ wallet: wallet.address, action: 'request-lend', amount: '100000000', ...fields });
  return get(`/strategies/${STOCK}/bytecode?${query.toString()}`);
};
/** The state of an order that is open while new orders can be placed; else undefined, as for a request that failed. */
async function openState() {
  const { body } = await get(`/strategies/${STOCK}/status?wallet=${wallet.address}`);
  const isOpen = body.actions?.[0]?.suw.order.status === 'OPEN' && body.orderBook.requestLend.canOpenOrder;
  return isOpen ? body : undefined;
}

it('lists the stock with the actions of orders, and without a yield', async () => {
  const { body } = await get('/strategies?category=stock');
  expect(body.data).toMatchObject([{ id: STOCK, availableActions: ['request-lend', 'request-withdraw'], fee: '0' }]);
  expect(Object.keys(body.data[0])).not.toContain('apy');
});

it('places an order, shows its settlement, and cancels it', async () => {
  const { status, body } = await order({ priceInUsd: '15000' });
  expect([status, body.quote]).toMatchObject([
    200,
    { clientLimitPriceUsd: 150, spotPriceUsd: 200, distanceBps: -2500 },
  ]);
  await wallet.send(body.bytecode);
  // Within its time limit, the order book of a busy machine may not respond: it is requested again.
  const { actions, orderBook } = await untilRead('the order and the order book are open', openState);
  expect(actions[0]).toMatchObject({ id: body.id, status: 'PENDING', currentStep: 1 });
  expect(actions[0].suw).toMatchObject({
    order: { posted: true, sellAmount: '100000000', validTo: expect.any(Number) as number },
    timing: { deadlineSeconds: expect.any(Number) as number },
  });
  // From the row, which is written in the second of the deadline or shortly after it.
  const { deadlineSeconds } = actions[0].suw.timing;
  expect(86_400 - deadlineSeconds).toBeGreaterThanOrEqual(0);
  expect(86_400 - deadlineSeconds).toBeLessThan(30);
  expect(orderBook.requestLend).toMatchObject({ canOpenOrder: true, probeSellAmount: '100000000' });
  const cancelled = await get(`/actions/${body.id}/cancel?wallet=${wallet.address}`);
  expect([cancelled.status, cancelled.body.status]).toEqual([200, 'REFUNDED']);
  const { refund, steps } = await untilRead('the refund is sent', async () => {
    const action = (await get(`/actions/${body.id}`)).body;
    return action.substatus === 'REFUND_SENT' ? action : undefined;
  });
  expect(refund).toMatchObject({ status: 'CONFIRMED', amountRaw: '100000000', token: { symbol: 'USDT' } });
  expect(steps).toHaveLength(3);
});

it('cancels no order at the price of the market, and none that is not funded', async () => {
  const cancel = (id: string) => get(`/actions/${id}/cancel?wallet=${wallet.address}`);
  expectFailure(await cancel((await order({})).body.id), 'INVALID_ACTION_TYPE');
  expectFailure(await cancel((await order({ priceInUsd: '15000' })).body.id), 'VALIDATION_ERROR');
});

it('refuses malformed orders with every problem', async () => {
  const failed = await order({ action: 'lend', expireAt: '1', slippage: '0.1' });
  expectFailure(failed, 'VALIDATION_ERROR');
  const paths = (failed.body.error.details.errors as { path: string }[]).map(({ path }) => path);
  expect(paths).toEqual(expect.arrayContaining(['action', 'expireAt', 'slippage']));
});
