import { deskOf, poll } from '../../../test/actions/delivery-desk';
import { ALICE, sampleToken } from '../../../test/actions/sample-action';
import {
  BRIDGE,
  createSampleTransfer,
  type SampleTransferOptions,
  scriptedSource,
  recordOrigin,
  someChain,
  someHash,
} from '../../../test/actions/sample-transfer';
import { createTestDatabase, type TestDatabase } from '../../../test/setup/test-database';
import { usd, usdPrice } from '../../../test/setup/usd';
import { createChainTable } from '../../chains/chain-table';
import { KNOWN_CHAINS } from '../../chains/known-chains';
import { toBaseUnits } from '../../money/base-units';
import type { DeliveryState } from '../../venues/delivery-source';
import { getAction } from '../get-action';
import { recordRefund } from './record-refund';
import { readTransferAction } from './transfer-action';

const CAROL = '0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65';
const ANCHOR = '0x5FbDB2315678afecb367f032d93F642f64180aa3';
const explorer = { name: 'Scan', url: 'https://scan.example' };
const banks = KNOWN_CHAINS.filter(({ kind }) => kind === 'fiat');
const chains = createChainTable([someChain(31337, { explorer }), someChain(31338), ...banks]);

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

type Refunded = Extract<DeliveryState, { status: 'refunded' }>;

const refunded = (changes: Partial<Refunded> = {}): Refunded => ({
  status: 'refunded',
  chainId: HOME,
  txHash: someHash(),
  amount: undefined,
  reason: 'because',
  ...changes,
});

/** Records that the ramp has received the payment of an action. */
async function seePayment(id: string): Promise<void> {
  await test.database.actionStep.updateMany({ where: { actionId: id, stepIndex: 0 }, data: { status: 'CONFIRMED' } });
  await test.database.action.update({ where: { id }, data: { status: 'PENDING' } });
  await test.database.delivery.update({ where: { actionId: id }, data: { phase: 'ACTIVE', nextPollAt: new Date() } });
}

/** The refund that the customer sees after the provider reports the state, on chains that the service does not read. */
async function refundAfter(state: Refunded, options: SampleTransferOptions = {}) {
  const { id, customerId } = await createSampleTransfer(test.database, options);
  if (options.chainIdIn === undefined) await recordOrigin(test.database, id);
  else await seePayment(id);
  const source = scriptedSource();
  source.respondWith(state);
  const tokens = {
    find: (_: unknown, address: string) =>
      Promise.resolve(address === ANCHOR ? sampleToken('BRLA', { address: ANCHOR, decimals: 18 }) : undefined),
  };
  const prices = { priceUsd: () => Promise.resolve({ usd: usdPrice('0.2'), asOf: new Date(), source: 'peg' }) };
  await poll({ ...deskOf(test.database, source), chains, tokens, prices }, id);
  return (await getAction({ database: test.database, chains }, { customerId, actionId: id })).refund;
}

const PLACE = {
  status: 'CONFIRMED',
  txHash: expect.any(String) as unknown,
  currency: null,
  txUrl: expect.stringMatching(/^https:\/\/scan.example\/tx\/0x/) as unknown,
  chain: expect.objectContaining({ id: 31337 }) as unknown,
};
const { chainId: HOME, ...USDC } = sampleToken('USDC');

describe('a refund as customers see it', () => {
  it('has the sold token, valued at the price of the quote', async () => {
    expect(await refundAfter(refunded({ amount: toBaseUnits(98_765_432n) }))).toEqual({
      ...PLACE,
      token: USDC,
      amountRaw: '98765432',
      amountHumanized: '98.765432',
      amountInUSD: '98.765432',
      receiverAddress: ALICE,
    });
  });

  it('never exceeds the sold amount', async () => {
    const refund = await refundAfter(refunded({ amount: toBaseUnits(300_000_000n) }), { refundAddress: CAROL });
    expect(refund).toMatchObject({ amountRaw: '100000000', amountInUSD: '100', receiverAddress: CAROL });
  });

  it('of a transfer within an action has what the bridge took, and never more, not shares of the strategy', async () => {
    const shares = sampleToken('shares', { address: ANCHOR, decimals: 18 });
    const tokenIn = sampleToken('USDC');
    const terms = {
      tokenIn,
      tokenOut: sampleToken('USDC', { chainId: 31338 }),
      amountIn: 50_000_000n,
      amountInUsd: usd('49.99'),
      amountOut: 49_000_000n,
      minAmountOut: 48_000_000n,
      receiverAddress: CAROL,
    };
    const delivery = { provider: BRIDGE, part: { originStep: 0, destinationStep: 1, terms } };
    const withdrawal = { type: 'CROSSCHAIN_INVESTMENT_WITHDRAW', tokenIn: shares, delivery } as const;
    const options = { ...withdrawal, amountIn: toBaseUnits(7n), amountInUsd: usd('49.99') };
    expect(await refundAfter(refunded({ amount: toBaseUnits(60_000_000n) }), options)).toEqual({
      ...PLACE,
      token: USDC,
      amountRaw: '50000000',
      amountHumanized: '50',
      amountInUSD: '49.99',
      receiverAddress: ALICE,
    });
    const part = await refundAfter(refunded({ amount: toBaseUnits(25_000_000n) }), options);
    expect(part).toMatchObject({ amountRaw: '25000000', amountInUSD: '24.995' });
  });

  it('is rounded down to a millionth of a dollar', async () => {
    const sold = { amountIn: toBaseUnits(3n), amountInUsd: usd('2') };
    expect(await refundAfter(refunded({ amount: toBaseUnits(1n) }), sold)).toMatchObject({ amountInUSD: '0.666666' });
    const returned = refunded({ token: ANCHOR, amount: toBaseUnits(9_999_999_999_999n) });
    expect(await refundAfter(returned)).toMatchObject({ amountInUSD: '0.000001' });
  });

  it('has the returned token at its present price, when another token than the sold one was returned', async () => {
    const amount = toBaseUnits(500_000_000_000_000_000_000n);
    expect(await refundAfter(refunded({ token: ANCHOR.toLowerCase(), amount }))).toEqual({
      ...PLACE,
      amountRaw: amount.toString(),
      amountHumanized: '500',
      amountInUSD: '100',
      token: { address: ANCHOR, symbol: 'BRLA', name: 'BRLA', decimals: 18, logoURI: undefined },
      receiverAddress: ALICE,
    });
  });

  it('is the whole payment when a ramp refunds a bank account', async () => {
    const tokenIn = sampleToken('BRL', { chainId: 0, address: 'BRL', decimals: 2 });
    const payment = { chainIdIn: 0, tokenIn, amountIn: toBaseUnits(12_345n), amountInUsd: usd('24.69') };
    const refund = await refundAfter(refunded({ chainId: 0, txHash: undefined }), payment);
    expect(refund).toEqual({
      status: 'CONFIRMED',
      txHash: null,
      txUrl: null,
      token: null,
      chain: null,
      currency: 'BRL',
      amountRaw: '12345',
      amountHumanized: '123.45',
      amountInUSD: '24.69',
      receiverAddress: null,
    });
  });

  const unknown = {
    ...PLACE,
    token: null,
    amountRaw: null,
    amountHumanized: null,
    amountInUSD: null,
    receiverAddress: null,
  };

  it('has null for every unknown value', async () => {
    expect(await refundAfter(refunded())).toEqual(unknown);
    const elsewhere = refunded({ chainId: 31338, amount: toBaseUnits(98_000_000n) });
    expect(await refundAfter(elsewhere)).toMatchObject({ ...unknown, txUrl: null, chain: { id: 31338 } });
  });

  it('that was recorded by an earlier version has null for the fields that it lacks', async () => {
    const { id, customerId } = await createSampleTransfer(test.database);
    await recordOrigin(test.database, id);
    const transfer = await readTransferAction(test.database, id);
    const refund = { chainId: HOME, txHash: someHash(), amount: undefined, total: undefined, block: undefined };
    await test.database.$transaction((tx) =>
      recordRefund(tx, transfer, { kind: 'refunded', refund, reason: 'because' }),
    );
    await test.database.$executeRaw`
      UPDATE "ActionEvent" SET detail = ${{ chainId: HOME, txHash: someHash(), amount: '5' }}
       WHERE "actionId" = ${id}::uuid AND "toStatus" = 'REFUNDED'`;
    const { refund: shown } = await getAction({ database: test.database, chains }, { customerId, actionId: id });
    expect(shown).toEqual(unknown);
  });
});
