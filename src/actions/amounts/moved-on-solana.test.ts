import fc from 'fast-check';
import { WRAPPED_SOL } from '../../chains/addresses';
import { type Moves, netChange, receivedOnSolana, spentOnSolana } from './moved-on-solana';

const DEPOSIT = 2_039_280n;
const [ALICE, BOB, CAROL] = ['alice', 'bob', 'carol'] as const;
const PEOPLE = [ALICE, BOB, CAROL] as const;
const MINTS = ['usdc', WRAPPED_SOL] as const;

interface Account {
  readonly owner: string;
  readonly mint: string;
  tokens: bigint;
  lamports: bigint;
}

interface Step {
  readonly kind: 'pay' | 'move' | 'close';
  readonly from: string;
  readonly to: string;
  readonly mint: string;
  readonly amount: bigint;
}

/** A small chain: wallets with lamports, token accounts that open on demand, and Alice, who pays all fees. */
function chainOf(opened: readonly { person: string; mint: string; tokens: bigint }[]) {
  const wallets = new Map<string, bigint>(PEOPLE.map((person) => [person, 10n ** 12n]));
  const accounts = new Map<string, Account>();
  const nameOf = (person: string, mint: string): string => `${person}/${mint}`;
  const open = (person: string, mint: string, tokens = 0n): Account => {
    const account = { owner: person, mint, tokens, lamports: DEPOSIT + (mint === WRAPPED_SOL ? tokens : 0n) };
    accounts.set(nameOf(person, mint), account);
    return account;
  };
  for (const { person, mint, tokens } of opened) open(person, mint, tokens);
  /** Net change of each token in each wallet. */
  const gains = new Map<string, bigint>();
  const note = ({ from, to, amount }: Step, mint: string): void => {
    gains.set(`${from} ${mint}`, (gains.get(`${from} ${mint}`) ?? 0n) - amount);
    gains.set(`${to} ${mint}`, (gains.get(`${to} ${mint}`) ?? 0n) + amount);
  };
  const give = (person: string, lamports: bigint): void => void wallets.set(person, wallets.get(person)! + lamports);
  const opening = (person: string, mint: string): Account => {
    give(ALICE, -DEPOSIT);
    return open(person, mint);
  };
  const steps = {
    pay(step: Step): void {
      give(step.from, -step.amount);
      give(step.to, step.amount);
      note(step, WRAPPED_SOL);
    },
    move(step: Step): void {
      const { from, to, mint, amount } = step;
      const source = accounts.get(nameOf(from, mint));
      if (source === undefined || source.tokens < amount) return;
      const target = accounts.get(nameOf(to, mint)) ?? opening(to, mint);
      source.tokens -= amount;
      target.tokens += amount;
      if (mint === WRAPPED_SOL)
        [source.lamports, target.lamports] = [source.lamports - amount, target.lamports + amount];
      note(step, mint);
    },
    /** The payer closes only its own accounts, as a wallet that unwraps SOL does. */
    close({ mint }: Step): void {
      const own = accounts.get(nameOf(ALICE, mint));
      if (own === undefined || (mint !== WRAPPED_SOL && own.tokens > 0n)) return;
      give(ALICE, own.lamports);
      accounts.delete(nameOf(ALICE, mint));
    },
  };
  return { wallets, accounts, gains, steps, give };
}

const step = fc.record({
  kind: fc.constantFrom('pay' as const, 'move' as const, 'close' as const),
  from: fc.constantFrom(...PEOPLE),
  to: fc.constantFrom(...PEOPLE),
  mint: fc.constantFrom(...MINTS),
  amount: fc.bigInt(1n, 1_000_000n),
});
const opening = fc.record({
  person: fc.constantFrom(...PEOPLE),
  mint: fc.constantFrom(...MINTS),
  tokens: fc.bigInt(0n, 10_000_000n),
});

describe('the amount that a transaction moved on Solana', () => {
  it('is the paid or received amount, without the fee and deposits of the payer', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(opening, { selector: ({ person, mint }) => `${person}${mint}` }),
        fc.array(step, { maxLength: 12 }),
        fc.bigInt(5000n, 50_000n),
        (opened, steps, fee) => {
          const chain = chainOf(opened);
          const before = snapshot(chain);
          chain.give(ALICE, -fee);
          for (const each of steps.filter(({ from, to }) => from !== to)) chain.steps[each.kind](each);
          const moves = movesBetween(before, snapshot(chain), fee);
          for (const owner of PEOPLE) {
            for (const token of MINTS) {
              const expected = chain.gains.get(`${owner} ${token}`) ?? 0n;
              expect(netChange(moves, { token, owner })).toBe(expected);
              expect(receivedOnSolana(moves, { token, owner })).toBe(expected > 0n ? expected : undefined);
              expect(spentOnSolana(moves, { token, owner })).toBe(expected < 0n ? -expected : undefined);
            }
          }
        },
      ),
    );
  });
});

type Snapshot = ReadonlyMap<string, { lamports: bigint; account: Account | undefined }>;

const snapshot = ({ wallets, accounts }: ReturnType<typeof chainOf>): Snapshot =>
  new Map<string, { lamports: bigint; account: Account | undefined }>([
    ...[...wallets].map(([name, lamports]) => [name, { lamports, account: undefined }] as const),
    ...[...accounts].map(([name, account]) => [name, { lamports: account.lamports, account: { ...account } }] as const),
  ]);

function movesBetween(before: Snapshot, after: Snapshot, fee: bigint): Moves {
  const names = [...new Set([...before.keys(), ...after.keys()])];
  return {
    fee,
    signers: [ALICE],
    lamports: new Map(
      names.map((name) => [name, { before: before.get(name)?.lamports ?? 0n, after: after.get(name)?.lamports ?? 0n }]),
    ),
    tokens: names.flatMap((name) => {
      const [was, is] = [before.get(name)?.account, after.get(name)?.account];
      const known = is ?? was;
      if (known === undefined) return [];
      const amounts = { before: was?.tokens ?? 0n, after: is?.tokens ?? 0n };
      const presence = { existed: was !== undefined, exists: is !== undefined };
      return [{ account: name, mint: known.mint, owner: known.owner, ...amounts, ...presence }];
    }),
  };
}
