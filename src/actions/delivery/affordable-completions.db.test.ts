import { deskOf, poll } from '../../../test/actions/delivery-desk';
import {
  BRIDGE,
  createSampleTransfer,
  recordOrigin,
  scriptedSource,
  someChain,
} from '../../../test/actions/sample-transfer';
import { createTestDatabase, type TestDatabase } from '../../../test/setup/test-database';
import { usd } from '../../../test/setup/usd';
import { FIAT_CHAIN_ID } from '../../chains/chain';
import { createChainTable } from '../../chains/chain-table';
import { parseShare } from '../../money/slippage';
import type { SendRequest, ServiceSending } from '../../rpc/service-wallet';
import type { DeliveryDeps } from './delivery-deps';

const CALL = { chainId: 31338, from: '0x01', to: '0x02', data: '0x03', value: 0n } as const;
const FIVE_MINUTES_MS = 300_000;

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

/** A desk whose wallet responds with `sending`, and stores the requests. */
function deskWith(changes: Partial<DeliveryDeps> = {}) {
  const source = scriptedSource({ completion: () => Promise.resolve(CALL) });
  source.respondWith({ status: 'inFlight', waitingFor: 'COMPLETION' });
  const requests: SendRequest[] = [];
  const wallet = { sending: 'unaffordable' as ServiceSending };
  const desk = deskOf(test.database, source);
  const log = { info: jest.fn(), warn: jest.fn() };
  const deps: DeliveryDeps = {
    ...desk,
    rpc: { serves: (chainId: number) => chainId === CALL.chainId } as unknown as DeliveryDeps['rpc'],
    serviceWallet: {
      address: '0x0000000000000000000000000000000000000001',
      sentFor: () => Promise.reject(new Error('it is not requested')),
      send(request) {
        requests.push(request);
        return Promise.resolve(wallet.sending);
      },
    },
    sources: new Map([[BRIDGE, source]]),
    log,
    ...changes,
  };
  return { deps, requests, wallet, log };
}

async function transfer(dollars = '100'): Promise<string> {
  const { id } = await createSampleTransfer(test.database, { amountInUsd: usd(dollars) });
  await recordOrigin(test.database, id);
  return id;
}

const actionOf = (id: string) => test.database.action.findUniqueOrThrow({ where: { id } });
/** Milliseconds until the next poll. */
async function nextPollOf(actionId: string): Promise<number> {
  const { nextPollAt } = await test.database.delivery.findUniqueOrThrow({ where: { actionId } });
  return nextPollAt!.getTime() - Date.now();
}

describe('the completion of a transfer by the service', () => {
  it('may cost a share of the transfer, which the deployment sets', async () => {
    const { deps, requests } = deskWith({ maxCompletionCostShare: parseShare('0.07')! });
    const id = await transfer('33.333333');
    await poll(deps, id);
    expect(requests).toMatchObject([{ actionId: id, purpose: 'completion', maxGasMicroUsd: 2_333_333n }]);
  });

  it('is left to the receiver when it costs more, is polled rarely then, and is sent once it is affordable', async () => {
    const { deps, wallet, log } = deskWith();
    const id = await transfer();
    for (let count = 0; count < 3; count += 1) await poll(deps, id);
    expect(await actionOf(id)).toMatchObject({ status: 'PENDING', substatus: 'DESTINATION_MINT_REQUIRED' });
    const { completion } = await test.database.delivery.findUniqueOrThrow({ where: { actionId: id } });
    expect(completion).toMatchObject({ to: CALL.to, data: CALL.data });
    expect(await nextPollOf(id)).toBeGreaterThan(FIVE_MINUTES_MS - 5000);
    expect(log.warn).not.toHaveBeenCalled();
    wallet.sending = { txHash: '0x01' };
    await poll(deps, id);
    expect(await actionOf(id)).toMatchObject({ status: 'PENDING', substatus: 'WAITING_DESTINATION' });
    expect(await nextPollOf(id)).toBeLessThan(70_000);
  });

  it('is not tried for transfers below the minimum, which are polled rarely as well', async () => {
    const { deps, requests } = deskWith();
    const id = await transfer('0.99');
    for (let count = 0; count < 2; count += 1) await poll(deps, id);
    expect(await actionOf(id)).toMatchObject({ status: 'PENDING', substatus: 'DESTINATION_MINT_REQUIRED' });
    expect(await nextPollOf(id)).toBeGreaterThan(FIVE_MINUTES_MS - 5000);
    expect(requests).toEqual([]);
  });

  it('may cost the whole value of an expired payout, whose tokens the ramp can return only when they arrive', async () => {
    const chains = createChainTable([someChain(31337), someChain(FIAT_CHAIN_ID, { kind: 'fiat' })]);
    const { deps, requests } = deskWith({ chains });
    const { id } = await createSampleTransfer(test.database, { amountInUsd: usd('0.5'), chainIdOut: FIAT_CHAIN_ID });
    await recordOrigin(test.database, id);
    await test.database.actionStep.updateMany({ where: { actionId: id, stepIndex: 1 }, data: { status: 'SKIPPED' } });
    const expired = { status: 'FAILED', substatus: 'EXPIRED', finishedAt: new Date() } as const;
    await test.database.action.update({ where: { id }, data: expired });
    await poll(deps, id);
    expect(requests).toMatchObject([{ actionId: id, maxGasMicroUsd: 500_000n }]);
  });

  it('is retried at the regular interval without a price for its gas, and is not logged for each transfer', async () => {
    const { deps, wallet, log } = deskWith();
    wallet.sending = 'unpriced';
    const id = await transfer();
    for (let count = 0; count < 2; count += 1) await poll(deps, id);
    expect(await actionOf(id)).toMatchObject({ status: 'PENDING', substatus: 'DESTINATION_MINT_REQUIRED' });
    expect(await nextPollOf(id)).toBeLessThan(70_000);
    expect(log.warn).not.toHaveBeenCalled();
  });

  it.each(['unfunded', 'refused'] as const)(
    'is retried at the regular interval and logged when it is %s',
    async (sending) => {
      const { deps, wallet, log } = deskWith();
      wallet.sending = sending;
      const id = await transfer();
      for (let count = 0; count < 2; count += 1) await poll(deps, id);
      expect(await nextPollOf(id)).toBeLessThan(70_000);
      expect(log.warn).toHaveBeenCalledTimes(2);
    },
  );
});
