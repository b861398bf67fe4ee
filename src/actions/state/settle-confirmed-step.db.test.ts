import { createSampleAction, type SampleActionOptions } from '../../../test/actions/sample-action';
import { createTestDatabase, type TestDatabase } from '../../../test/setup/test-database';
import { usd } from '../../../test/setup/usd';
import { toBaseUnits } from '../../money/base-units';
import { settleConfirmedStep } from './settle-confirmed-step';

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

/** Ends an action of 100 USDC for 99 BRLA, worth 100 and 99 US dollars, with these amounts. */
async function settled(spent: bigint | undefined, received: bigint | undefined, changes: SampleActionOptions = {}) {
  const { id, customerId } = await createSampleAction(test.database, changes);
  await test.database.action.update({ where: { id }, data: { status: 'PENDING' } });
  await test.database.actionStep.updateMany({ where: { actionId: id }, data: { status: 'CONFIRMED' } });
  const step = { actionId: id, customerId, stepIndex: 0, txHash: undefined };
  await test.database.$transaction((tx) => settleConfirmedStep(tx, step, { spent, received }));
  const action = await test.database.action.findUniqueOrThrow({ where: { id } });
  const { status, amountIn, amountOut, amountInUsd, amountOutUsd } = action;
  return [status, ...[amountIn, amountOut, amountInUsd, amountOutUsd].map((each) => each?.toFixed() ?? null)];
}

describe('a settled action', () => {
  it('has the amounts that moved, at the price of the quote', async () => {
    expect(await settled(50_000_000n, 198_000_000n)).toEqual(['SUCCESS', '50000000', '198000000', '50', '198']);
  });

  it('has values in US dollars that are rounded down to a millionth', async () => {
    const quoted = { amountIn: toBaseUnits(3n), amountInUsd: usd('2'), amountOutUsd: usd('0.000001') };
    expect(await settled(1n, 98_999_999n, quoted)).toEqual(['SUCCESS', '1', '98999999', '0.666666', '0']);
  });

  it('has no value in US dollars when the amount is the largest that a token can have', async () => {
    const max = 2n ** 256n - 1n;
    expect(await settled(undefined, max)).toEqual(['SUCCESS', '100000000', max.toString(), '100', null]);
  });

  it('keeps the quoted amount when the amount that moved is none that a token can have', async () => {
    const impossible = 12n * 2n ** 256n;
    expect(await settled(impossible, impossible)).toEqual(['SUCCESS', '100000000', '99000000', '100', '99']);
  });
});
