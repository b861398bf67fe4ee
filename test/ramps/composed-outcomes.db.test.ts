import { historyOf } from '../actions/sample-action';
import { deskOf, poll } from '../actions/delivery-desk';
import { createSampleTransfer, scriptedSource } from '../actions/sample-transfer';
import { createTestDatabase, type TestDatabase } from '../setup/test-database';
import { CONFIRMATIONS, FAIR_AMOUNT_OUT, onRampWorld, type OnRampWorld } from './composed-world';

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

const mineFinal = ({ chain }: OnRampWorld): void => {
  for (let block = 0; block <= CONFIRMATIONS; block += 1) chain.mine();
};

/** An action whose settlement has reached the service. `pollTimes` polls its delivery like the delivery loop. */
async function followed() {
  const [world, source] = [await onRampWorld(test), scriptedSource()];
  const { id, customerId } = await createSampleTransfer(test.database, {
    type: 'ON_RAMP_FIAT',
    deposit: { address: 'PIX', reference: 'ticket' },
    steps: [
      { kind: 'FIAT_IN', operator: 'USER', protocol: 'first', chainId: 31_337 },
      { kind: 'SWAP', operator: 'SERVICE', protocol: 'alpha', chainId: 31_338 },
    ],
  });
  source.respondWith(() => world.poll());
  const pollTimes = async (times: number): Promise<void> => {
    for (let count = 0; count < times; count += 1) {
      await poll(deskOf(test.database, source), id);
      world.chain.mine();
    }
  };
  world.paid();
  mineFinal(world);
  await pollTimes(1);
  const read = async () => ({
    action: await test.database.action.findUniqueOrThrow({ where: { id }, include: { steps: true } }),
    delivery: await test.database.delivery.findUniqueOrThrow({ where: { actionId: id } }),
  });
  return { id, customerId, world, pollTimes, read };
}

it('an action stays PENDING while the service has no gas, with a reason, is retried, and succeeds', async () => {
  const { world, pollTimes, read } = await followed();
  world.chain.balance = 0n;
  await pollTimes(3);
  const waiting = await read();
  expect(waiting.action).toMatchObject({ status: 'PENDING', substatus: 'WAITING_DESTINATION' });
  expect(waiting.delivery.lastFailure).toContain('the wallet of the service has too little of the native coin');
  expect(waiting.delivery.nextPollAt).not.toBeNull();
  expect(world.chain.effects).toEqual([]);
  world.chain.balance = 10n ** 20n;
  await pollTimes(3);
  expect((await read()).action.status).toBe('SUCCESS');
  expect((await read()).delivery.lastFailure).toBeNull();
  expect(world.chain.effects).toEqual(['leg']);
});

it('an action whose price stays below the minimum is REFUNDED with the ramp token, once', async () => {
  const { id, world, pollTimes, read } = await followed();
  world.market.price = 1n;
  await pollTimes(3);
  expect((await read()).action.status).toBe('PENDING');
  world.exceedSwapTimeout();
  await pollTimes(3);
  const { action } = await read();
  expect(action).toMatchObject({
    status: 'REFUNDED',
    substatus: 'REFUND_SENT',
    failureReason: expect.stringContaining('USDC was sent instead'),
    steps: expect.arrayContaining([
      expect.objectContaining({ kind: 'SWAP', status: 'SKIPPED' }),
      expect.objectContaining({ kind: 'REFUND', operator: 'SERVICE', status: 'CONFIRMED' }),
    ]),
  });
  expect((await historyOf(test.database, id)).at(-1)).toBe('PENDING>REFUNDED REFUND_SENT');
  world.market.price = FAIR_AMOUNT_OUT;
  await pollTimes(3);
  expect([world.chain.effects, world.chain.waiting]).toEqual([['anchor'], 0]);
  expect((await read()).action.updatedAt).toEqual(action.updatedAt);
});
