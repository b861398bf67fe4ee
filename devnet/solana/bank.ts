import { VersionedTransaction } from '@solana/web3.js';
import { base58 } from './base58';
import { computeBudgetOf } from './compute-budget';
import { writeGenesis } from './genesis';
import type { Journal, JournalEntry, WrittenAccount } from './journal';
import { createLedger, type Ledger, type TokenBalance, type TransactionRecord } from './ledger';
import { type AccountState, createMachine, type Machine, type Outcome } from './machine';
import { type MessageAccounts, messageAccounts } from './message-accounts';
import { createSlotClock, type SlotClock } from './slot-clock';
import { tokenAccountOf, uiAmount } from './token-state';

const MEMO_PROGRAMS: ReadonlySet<string> = new Set([
  'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr',
  'Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo',
]);

/** The chain: its accounts, its time and what has happened. */
export interface Bank {
  readonly machine: Machine;
  readonly clock: SlotClock;
  readonly ledger: Ledger;
  /** The slot of this moment; programs see the same. */
  now(): number;
  /** Runs a transaction now. It is in the ledger and on disk when this returns, unless it never ran. */
  process(raw: Uint8Array): Outcome;
  /** Goes on as a fork that never saw the newest transactions. */
  forget(transactions: number): void;
}

export interface BankOptions {
  readonly journal: Journal;
  readonly accounts: number;
  readonly slotMs: number;
}

export function createBank({ journal, accounts, slotMs }: BankOptions): Bank {
  let state = restore(journal.read(), accounts);
  const clock = createSlotClock({ ...journal.beginning, slotMs, atLeast: state.newestSlot });
  let latestSlot = 0;
  const now = (): number => {
    const slot = clock.slot();
    if (slot !== latestSlot) state.machine.setTime(slot, clock.recentHashes(slot));
    latestSlot = slot;
    return slot;
  };
  return {
    get machine() {
      return state.machine;
    },
    get ledger() {
      return state.ledger;
    },
    clock,
    now,
    process(raw) {
      const slot = now();
      const { outcome, entry } = run(state.machine, { raw, slot });
      if (entry === undefined) return outcome;
      journal.append(entry);
      state.ledger.add(entry.record);
      return outcome;
    },
    forget(transactions) {
      journal.truncate(Math.max(0, state.ledger.size - transactions));
      state = restore(journal.read(), accounts);
      latestSlot = 0;
    },
  };
}

interface State {
  readonly machine: Machine;
  readonly ledger: Ledger;
  readonly newestSlot: number;
}

/** Restores the chain from genesis and journal: account states are loaded, transactions are not run again. */
function restore(entries: readonly JournalEntry[], accounts: number): State {
  const [machine, ledger] = [createMachine(), createLedger()];
  writeGenesis(machine, accounts);
  for (const { record, written } of entries) {
    ledger.add(record);
    for (const { address, state } of written) machine.write(address, stateFrom(state));
  }
  return { machine, ledger, newestSlot: entries.at(-1)?.record.slot ?? 0 };
}

const SYSTEM_PROGRAM = '11111111111111111111111111111111';
const stateFrom = (state: WrittenAccount['state']): AccountState => ({
  lamports: BigInt(state?.lamports ?? 0),
  owner: state?.owner ?? SYSTEM_PROGRAM,
  data: Buffer.from(state?.data ?? '', 'base64'),
  executable: false,
});

interface Run {
  readonly raw: Uint8Array;
  readonly slot: number;
}

function run(machine: Machine, { raw, slot }: Run): { outcome: Outcome; entry: JournalEntry | undefined } {
  const transaction = VersionedTransaction.deserialize(raw);
  const accounts = messageAccounts(machine, transaction);
  const before = balances(machine, accounts);
  const outcome = machine.execute(raw);
  if (!outcome.executed) return { outcome, entry: undefined };
  const after = balances(machine, accounts);
  const record: TransactionRecord = {
    signature: base58(transaction.signatures[0] ?? new Uint8Array()),
    slot,
    blockTime: Math.floor(Date.now() / 1000),
    raw: Buffer.from(raw).toString('base64'),
    error: outcome.error,
    memo: memoOf(transaction),
    accounts: accounts.all,
    loaded: accounts.loaded,
    writable: accounts.writable,
    before: before.lamports,
    after: after.lamports,
    tokensBefore: before.tokens,
    tokensAfter: after.tokens,
    logs: outcome.logs,
    units: outcome.units.toString(),
    inner: outcome.inner,
    returnData: outcome.returnData,
    unitPrice: computeBudgetOf(transaction.message).unitPrice.toString(),
  };
  return { outcome, entry: { record, written: accounts.writable.map((address) => writtenAccount(machine, address)) } };
}

function balances(machine: Machine, { all }: MessageAccounts) {
  const states = all.map((address) => machine.account(address));
  const tokens = states.flatMap((state, accountIndex): TokenBalance[] => {
    const holding = state === undefined ? undefined : tokenAccountOf(machine, state);
    if (holding === undefined) return [];
    const { mint, owner, program: programId, amount, decimals } = holding;
    return [{ accountIndex, mint, owner, programId, uiTokenAmount: uiAmount(amount, decimals) }];
  });
  return { lamports: states.map((state) => (state?.lamports ?? 0n).toString()), tokens };
}

function writtenAccount(machine: Machine, address: string): WrittenAccount {
  const state = machine.account(address);
  if (state === undefined) return { address, state: null };
  const { lamports, owner, data } = state;
  return {
    address,
    state: { lamports: lamports.toString(), owner, data: Buffer.from(data).toString('base64') },
  };
}

/** Memos as the index of signatures has them: `[length] text`. */
function memoOf({ message }: VersionedTransaction): string | null {
  const memos = message.compiledInstructions
    .filter(({ programIdIndex }) => MEMO_PROGRAMS.has(message.staticAccountKeys[programIdIndex]?.toBase58() ?? ''))
    .map(({ data }) => `[${data.length}] ${Buffer.from(data).toString('utf8')}`);
  return memos.length === 0 ? null : memos.join('; ');
}
