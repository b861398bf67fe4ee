import { ALICE } from '../../../test/actions/sample-action';
import {
  createSampleTransfer,
  type SampleTransferOptions,
  recordOrigin,
  someHash,
} from '../../../test/actions/sample-transfer';
import { createTestDatabase, type TestDatabase } from '../../../test/setup/test-database';
import { recordRefund } from './record-refund';
import { readTransferAction } from './transfer-action';
import type { ObservedRefund } from './outcome';

const TREASURY = '0x90F79bf6EB2c4f870365E785982E1f101E93b906';
const CAROL = '0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65';
const SOLD = 100_000_000n;

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

async function transferOf(options: SampleTransferOptions) {
  const { id } = await createSampleTransfer(test.database, options);
  await recordOrigin(test.database, id);
  return readTransferAction(test.database, id);
}

/** Whether a transaction that moved `total` to the wallet refunds each of the actions, one after the other. */
async function refunds(
  total: bigint,
  actions: readonly SampleTransferOptions[],
  changes: Partial<ObservedRefund> = {},
): Promise<readonly boolean[]> {
  const [txHash, recorded] = [someHash(), [] as boolean[]];
  const block = { number: 7n, hash: someHash(), timestamp: 1_700_000_000n };
  const refund = { chainId: 31337, txHash, amount: undefined, total, block, ...changes };
  for (const options of actions) {
    const transfer = await transferOf(options);
    const outcome = { kind: 'refunded', refund, reason: 'expired' } as const;
    recorded.push(await test.database.$transaction((tx) => recordRefund(tx, transfer, outcome)));
  }
  return recorded;
}

describe('a transaction that refunds several actions', () => {
  const [toSender, toTreasury] = [{ originAddress: ALICE }, { originAddress: ALICE, refundAddress: TREASURY }];

  it('refunds the actions of different wallets', async () => {
    expect(await refunds(SOLD, [toSender, toTreasury])).toEqual([true, true]);
  });

  it('refunds a wallet at most the amount that it moved there', async () => {
    const carols = { originAddress: CAROL, refundAddress: TREASURY };
    expect(await refunds(SOLD, [toTreasury, carols])).toEqual([true, false]);
    expect(await refunds(2n * SOLD, [toTreasury, carols, carols])).toEqual([true, true, false]);
    expect(await refunds(SOLD, [toSender, toSender])).toEqual([true, false]);
  });

  it('refunds one action of a wallet when it moved another token than the sold one', async () => {
    const [token, amount] = ['0x5FbDB2315678afecb367f032d93F642f64180aa3', undefined];
    const named = { token, amount, total: undefined };
    expect(await refunds(0n, [toSender, toSender], named)).toEqual([true, false]);
    const toReceiver = { originAddress: CAROL, receiverAddress: ALICE };
    const ofOthers = { originAddress: CAROL, receiverAddress: TREASURY };
    expect(await refunds(0n, [toSender, toReceiver, ofOthers], named)).toEqual([true, false, true]);
  });
});
