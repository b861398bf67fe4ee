import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expireActions } from '../../src/actions/state/expire-actions';
import { openDatabase } from '../../src/persistence/database';
import { approvedPerson } from '../kyc/kyc-people';
import { rest } from '../setup/running-service';
import {
  requestBytecode,
  newWallet,
  requestQuote,
  token,
  transferredIn,
  type Wallet,
  expectSuccess,
} from './ramp-desk';

const environment = path.join(process.env['AFLUENTE_TEST_SERVICE'] ?? '', 'environment.json');
const { DATABASE_URL: url } = JSON.parse(readFileSync(environment, 'utf8')) as { readonly DATABASE_URL: string };
const { database, close } = openDatabase({
  url,
  poolSize: 2,
  log: { info: () => undefined, warn: () => undefined } as never,
});
afterAll(close);

const AMOUNT = 50_000_000n;

/** Polls the action until it has the status, and what else is expected of it. */
async function until(status: string, id: string, isComplete: (body: any) => boolean = () => true): Promise<any> {
  const deadline = Date.now() + 90_000;
  for (;;) {
    const { body } = await rest(`/actions/${id}`);
    if (body.status === status && isComplete(body)) return body;
    if (Date.now() > deadline) throw new Error(`the action is not ${status}: ${JSON.stringify(body)}`);
    // The service does this every minute.
    await expireActions({ database, cancellableProviders: ['secondary'] });
    await wait(200);
  }
}

/** An off-ramp that expired without a deposit. */
async function expired(wallet: Wallet, ramp: 'primary' | 'secondary'): Promise<any> {
  await approvedPerson({ walletAddress: wallet.address, rampProvider: ramp });
  const { quote } = await expectSuccess(
    requestQuote({
      originChain: 'devnet',
      destinationChain: 'fiat',
      tokenIn: token('USDC'),
      tokenOut: 'BRL',
      amountIn: AMOUNT.toString(),
      rampProvider: ramp,
    }),
  );
  const body = { quoteId: quote.quoteId, originAddress: wallet.address, pixKey: 'ana.beatriz@example.com' };
  const opened = await expectSuccess(requestBytecode(body));
  await database.action.update({ where: { id: opened.id }, data: { expiresAt: new Date(Date.now() - 1000) } });
  await until('FAILED', opened.id);
  return opened;
}

it.concurrent.each(['primary', 'secondary'] as const)(
  'a deposit at the %s ramp after the expiry of its action is refunded, and the action becomes REFUNDED',
  async (ramp) => {
    const wallet = await newWallet({ USDC: AMOUNT });
    const { id, transactions, transactionData } = await expired(wallet, ramp);
    const originTxHash = await wallet.send(transactions ?? transactionData);
    // From the receipt: the ramp may have refunded the deposit before the balance could be read.
    expect(await transferredIn(originTxHash)).toMatchObject({ from: wallet.address, value: AMOUNT });
    // The ramp may return the deposit before its block is final.
    const action = await until('REFUNDED', id, ({ steps }) => steps[0].status === 'CONFIRMED');
    expect(action).toMatchObject({
      substatus: 'REFUND_SENT',
      refund: { txHash: expect.stringMatching(/^0x/) },
      steps: [{ status: 'CONFIRMED', txHash: originTxHash }, { status: 'SKIPPED' }, { status: 'CONFIRMED' }],
    });
    expect(await wallet.balanceOf('USDC')).toBe(AMOUNT);
  },
);
