import type { LandedTransaction } from '../../rpc/solana/landed-transaction';
import { readReceivedAmountOnSolana } from './received-amount';

const question = { chainId: 5, txHash: 'signature', token: 'mint', owner: 'ramp' };
type Change = LandedTransaction['tokens'][number];
const change = (before: bigint, after: bigint, of: Partial<Change> = {}): Change => ({
  account: 'account',
  mint: 'mint',
  owner: 'ramp',
  before,
  after,
  existed: true,
  exists: true,
  ...of,
});

async function arrived(landed: Partial<LandedTransaction> | undefined): Promise<bigint | undefined> {
  const requests: unknown[] = [];
  const solana = {
    transactions: (...parameters: unknown[]) => {
      requests.push(parameters.slice(0, 2));
      return Promise.resolve([landed === undefined ? undefined : (landed as LandedTransaction)]);
    },
  };
  const amount = await readReceivedAmountOnSolana(solana, question, AbortSignal.timeout(1000));
  expect(requests).toEqual([[5, { signatures: ['signature'], commitment: 'confirmed' }]]);
  return amount;
}

describe('the received amount of a Solana transaction', () => {
  it('is undefined while the transaction is not confirmed', async () => {
    expect(await arrived(undefined)).toBeUndefined();
  });

  it('is zero when the transaction failed', async () => {
    expect(await arrived({ error: 'AccountInUse', tokens: [change(0n, 9n)] })).toBe(0n);
  });

  it.each<[bigint, Change[]]>([
    [9n, [change(3n, 12n)]],
    [7n, [change(3n, 12n), change(5n, 3n, { account: 'another' })]],
    [0n, [change(3n, 12n, { mint: 'another' })]],
    [0n, [change(3n, 12n, { owner: 'another' })]],
    [0n, [change(12n, 3n)]],
    [0n, []],
  ])('is %p of the token, all its accounts together', async (amount, tokens) => {
    expect(await arrived({ error: null, tokens })).toBe(amount);
  });
});
