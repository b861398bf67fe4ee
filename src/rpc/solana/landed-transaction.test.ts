import { landedTransaction } from './landed-transaction';
import { transactionResponse } from './wire';

const balance = (mint: string, owner: string, amount: string) => ({
  accountIndex: 1,
  mint,
  owner,
  uiTokenAmount: { amount, decimals: 0 },
});

describe('the token balances of a transaction', () => {
  it('of an account that is closed, and opened again for another token, are changes of two tokens', () => {
    const response = transactionResponse.parse({
      slot: 1,
      transaction: {
        signatures: ['signature'],
        message: { accountKeys: ['payer', 'account'], header: { numRequiredSignatures: 1 } },
      },
      meta: {
        err: null,
        fee: 5000,
        preBalances: [10, 900],
        postBalances: [5, 40],
        preTokenBalances: [balance('wrapped SOL', 'former', '860')],
        postTokenBalances: [balance('other', 'present', '7')],
      },
    });
    expect(landedTransaction(response!).tokens).toEqual([
      {
        account: 'account',
        mint: 'wrapped SOL',
        owner: 'former',
        formerOwner: 'former',
        before: 860n,
        after: 0n,
        existed: true,
        exists: false,
      },
      { account: 'account', mint: 'other', owner: 'present', before: 0n, after: 7n, existed: false, exists: true },
    ]);
  });
});
