import fc from 'fast-check';
import { WRAPPED_SOL } from '../../chains/addresses';
import type { LandedTransaction, TokenChange } from '../../rpc/solana/landed-transaction';
import { accountsIn, movementsOfTransaction } from './movements-of-transaction';

const [WALLET, OTHER, THIRD] = ['wallet', 'other', 'third'];
const SYSTEM = '11111111111111111111111111111111';
const [USDC, BONK] = ['mint of USDC', 'mint of BONK'];

type Amounts = readonly [before: bigint, after: bigint];

const change = (account: string, [mint, owner]: readonly [string, string?], [before, after]: Amounts): TokenChange => ({
  account,
  mint,
  owner,
  formerOwner: owner,
  before,
  after,
  existed: true,
  exists: true,
});

const landed = (
  tokens: readonly TokenChange[],
  lamports: Readonly<Record<string, readonly [bigint, bigint]>> = {},
  payer = OTHER,
): LandedTransaction => ({
  signature: 'signature',
  slot: 1,
  blockTime: 1,
  error: null,
  logs: [],
  fee: 5000n,
  signers: [payer],
  lamports: new Map(Object.entries(lamports).map(([address, [before, after]]) => [address, { before, after }])),
  tokens,
});

const movementsOf = (transaction: LandedTransaction, accounts: readonly string[] = []) =>
  movementsOfTransaction(transaction, { wallet: WALLET, accounts: new Set(accounts) });

describe('the movements of a wallet in a transaction', () => {
  it('are the net changes of its tokens over all accounts, in the order of the mints, with the greatest counterparty', () => {
    const transaction = landed([
      change('a', [USDC, WALLET], [100n, 30n]),
      change('b', [USDC, WALLET], [0n, 20n]),
      change('c', [USDC, THIRD], [0n, 10n]),
      change('d', [USDC, OTHER], [0n, 40n]),
      change('e', [BONK, OTHER], [7n, 0n]),
      change('f', [BONK, WALLET], [0n, 7n]),
    ]);
    expect(movementsOf(transaction)).toEqual([
      { position: 0, token: BONK, kind: 'transferIn', amount: 7n, counterparty: OTHER },
      { position: 1, token: USDC, kind: 'transferOut', amount: 50n, counterparty: OTHER },
    ]);
  });

  it('contain SOL without the fee that the wallet paid, and nothing of a transaction that only paid its fee', () => {
    const paid = landed([], { [WALLET]: [1_000_000n, 595_000n], [OTHER]: [0n, 400_000n] }, WALLET);
    expect(movementsOf(paid)).toEqual([
      { position: -1, token: WRAPPED_SOL, kind: 'transferOut', amount: 400_000n, counterparty: OTHER },
    ]);
    expect(movementsOf(landed([], { [WALLET]: [1_000_000n, 995_000n] }, WALLET))).toEqual([]);
  });

  it('do not contain the wrapping of SOL, but the rent of the account', () => {
    const wrapped = landed(
      [{ ...change('own', [WRAPPED_SOL, WALLET], [0n, 900n]), existed: false }],
      { [WALLET]: [10_000n, 4_060n], own: [0n, 940n] },
      WALLET,
    );
    expect(movementsOf(wrapped)).toEqual([
      { position: -1, token: WRAPPED_SOL, kind: 'transferOut', amount: 40n, counterparty: SYSTEM },
    ]);
  });

  it('contain an account that was handed over, for its former and its present owner', () => {
    const handed: TokenChange = { ...change('a', [USDC, OTHER], [50n, 50n]), formerOwner: WALLET };
    expect(movementsOf(landed([handed]))).toEqual([
      { position: 0, token: USDC, kind: 'transferOut', amount: 50n, counterparty: OTHER },
    ]);
    expect(accountsIn(landed([handed]), WALLET)).toEqual(['a']);
    expect(movementsOf(landed([{ ...handed, owner: WALLET, formerOwner: OTHER }]))).toMatchObject([
      { kind: 'transferIn', amount: 50n, counterparty: OTHER },
    ]);
  });

  it('contain tokens of stored accounts whose owners an old transaction does not name, and created tokens', () => {
    const created = landed([change('a', [USDC], [0n, 9n])]);
    expect(movementsOf(created)).toEqual([]);
    expect(movementsOf(created, ['a'])).toEqual([
      { position: 0, token: USDC, kind: 'transferIn', amount: 9n, counterparty: SYSTEM },
    ]);
  });

  it('add up to the change of the balances for any transaction', () => {
    const owners = [WALLET, OTHER, THIRD];
    const amount = fc.bigInt({ min: 0n, max: 10n ** 19n });
    const token = fc.record({
      account: fc.integer({ min: 0, max: 9 }).map(String),
      mint: fc.constantFrom(USDC, BONK),
      owner: fc.constantFrom(...owners),
      formerOwner: fc.constantFrom(...owners),
      before: amount,
      after: amount,
    });
    fc.assert(
      fc.property(fc.uniqueArray(token, { selector: ({ account }) => account }), (tokens) => {
        const movements = movementsOf(landed(tokens.map((each) => ({ ...each, existed: true, exists: true }))));
        for (const mint of [USDC, BONK]) {
          const ofMint = tokens.filter((each) => each.mint === mint);
          const after = ofMint.reduce((sum, each) => sum + (each.owner === WALLET ? each.after : 0n), 0n);
          const before = ofMint.reduce((sum, each) => sum + (each.formerOwner === WALLET ? each.before : 0n), 0n);
          const moved = movements
            .filter((each) => each.token === mint)
            .reduce((sum, each) => sum + (each.kind === 'transferIn' ? each.amount : -each.amount), 0n);
          expect(moved).toBe(after - before);
        }
      }),
    );
  });
});
