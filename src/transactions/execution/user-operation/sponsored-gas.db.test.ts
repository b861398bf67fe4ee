import { randomUUID } from 'node:crypto';
import { newCustomer } from '../../../../test/actions/sample-action';
import { gasBudgets, gasPricer } from '../../../../test/setup/gas';
import { createTestDatabase, type TestDatabase } from '../../../../test/setup/test-database';
import type { GasPricer } from '../../../prices/gas-pricer';
import { createSponsoredGasTaker, type SponsoredGas } from './sponsored-gas';

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

const taker = (priceGas: GasPricer) =>
  createSponsoredGasTaker({ database: test.database, gasBudgets: gasBudgets({ sponsoredGasUsd: 5 }), priceGas });

/** Gas of a thousandth of a coin. */
const gas = (changes: Partial<SponsoredGas> = {}): SponsoredGas => ({
  customerId: newCustomer(),
  chainId: 31337,
  actionId: randomUUID(),
  wei: 10n ** 15n,
  operation: { sender: `0x${'ab'.repeat(20)}`, nonceKey: 2n ** 100n + 1n, validUntil: new Date(Date.now() + 300_000) },
  ...changes,
});
const countOf = ({ customerId }: SponsoredGas) => test.database.gasSpending.count({ where: { customerId } });

describe('gas that is about to be sponsored', () => {
  it('is recorded with its customer, chain, action and cost', async () => {
    const one = gas();
    await taker(gasPricer(3000))(one);
    const [row] = await test.database.gasSpending.findMany({ where: { customerId: one.customerId } });
    const { actionId, operation } = one;
    const { sender, validUntil } = operation;
    expect(row).toMatchObject({ id: actionId, actionId, chainId: 31337n, kind: 'sponsored', sender, validUntil });
    expect([row!.wei.toFixed(0), row!.costUsd?.toNumber()]).toEqual(['1000000000000000', 3]);
    expect(row!.nonceKey?.toFixed(0)).toBe(operation.nonceKey.toString());
  });

  it('is refused above the budget of its customer, with the name of the limit', async () => {
    const [take, one] = [taker(gasPricer(3000)), gas()];
    await take(one);
    const details = { limit: 'sponsoredGasUsd', maximum: 5, retryAfter: 600 };
    const refused = { code: 'RATE_LIMIT_EXCEEDED', status: 429, details };
    await expect(take({ ...one, actionId: randomUUID() })).rejects.toEqual(expect.objectContaining(refused));
    await take(one); // the same action
    expect(await countOf(one)).toBe(1);
  });

  it('is refused without a price of the native coin, because its cost is unknown', async () => {
    const one = gas();
    const unavailable = { code: 'PROVIDER_UNAVAILABLE', message: expect.stringContaining('no price') as string };
    await expect(taker(() => Promise.resolve(undefined))(one)).rejects.toMatchObject(unavailable);
    expect(await countOf(one)).toBe(0);
  });
});
