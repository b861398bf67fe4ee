import { PublicKey } from '@solana/web3.js';
import {
  Account,
  Clock,
  FailedTransactionMetadata,
  LiteSvm,
  type SimulatedTransactionInfo,
  type TransactionMetadata,
} from 'litesvm/dist/internal';
import { base58 } from './base58';
import type { SlotHash } from './slot-clock';
import { type TransactionError, transactionError } from './transaction-error';

/** State of an account. */
export interface AccountState {
  readonly lamports: bigint;
  readonly owner: string;
  readonly data: Uint8Array;
  readonly executable: boolean;
}

export interface InnerInstructions {
  readonly index: number;
  readonly instructions: readonly {
    readonly programIdIndex: number;
    readonly accounts: readonly number[];
    readonly data: string;
    readonly stackHeight: number;
  }[];
}

/** How a transaction went. */
export interface Outcome {
  readonly error: TransactionError | null;
  /** False when it never ran: no fee is charged, and no block holds it. */
  readonly executed: boolean;
  readonly logs: readonly string[];
  readonly units: bigint;
  readonly inner: readonly InnerInstructions[];
  readonly returnData: { readonly programId: string; readonly data: readonly [string, 'base64'] } | null;
  /** What a simulation would leave behind, by address. */
  readonly after: ReadonlyMap<string, AccountState>;
}

/** Solana's runtime with the programs that every cluster has; blockhashes and repetitions are checked by its caller. */
export interface Machine {
  account(address: string): AccountState | undefined;
  write(address: string, state: AccountState): void;
  /** Addresses of the accounts that a program owns. */
  accountsOf(program: string): readonly string[];
  execute(transaction: Uint8Array): Outcome;
  simulate(transaction: Uint8Array, options: { readonly verifySignatures: boolean }): Outcome;
  /** Sets the clock that programs read. */
  setTime(slot: number, hashes: readonly SlotHash[]): void;
  /** Lamports that an account of that size must hold. */
  rent(bytes: number): bigint;
}

const SLOTS_AN_EPOCH = 432_000n;

export function createMachine(): Machine {
  const svm = new LiteSvm();
  svm.setBlockhashCheck(false);
  svm.setTransactionHistory(0n);
  return {
    account: (address) => stateOf(svm.getAccount(new PublicKey(address).toBytes())),
    write(address, { lamports, owner, data, executable }) {
      const account = new Account(lamports, data, new PublicKey(owner).toBytes(), executable, 0n);
      svm.setAccount(new PublicKey(address).toBytes(), account);
    },
    accountsOf: (program) =>
      svm.getProgramAccounts(new PublicKey(program).toBytes()).map(({ address }) => base58(address)),
    execute: (transaction) => outcomeOf(svm.sendVersionedTransaction(transaction)),
    simulate(transaction, { verifySignatures }) {
      svm.setSigverify(verifySignatures);
      const result = svm.simulateVersionedTransaction(transaction);
      svm.setSigverify(true);
      return outcomeOf(result);
    },
    setTime(slot, hashes) {
      const [now, epoch] = [BigInt(Math.floor(Date.now() / 1000)), BigInt(slot) / SLOTS_AN_EPOCH];
      svm.setClock(new Clock(BigInt(slot), now, epoch, epoch + 1n, now));
      svm.setSlotHashes(hashes.map(({ slot: number, hash }) => ({ slot: BigInt(number), hash })));
    },
    rent: (bytes) => svm.minimumBalanceForRentExemption(BigInt(bytes)),
  };
}

/** An account without lamports does not exist. */
function stateOf(account: Account | null): AccountState | undefined {
  if (account === null || account.lamports() === 0n) return undefined;
  return {
    lamports: account.lamports(),
    owner: base58(account.owner()),
    data: account.data(),
    executable: account.executable(),
  };
}

function outcomeOf(result: TransactionMetadata | SimulatedTransactionInfo | FailedTransactionMetadata): Outcome {
  const failed = result instanceof FailedTransactionMetadata;
  const meta = 'meta' in result ? result.meta() : result;
  const returned = meta.returnData();
  return {
    error: failed ? transactionError(result) : null,
    // A transaction that is refused before it runs has no signature in its metadata.
    executed: !failed || meta.signature().some((byte) => byte !== 0),
    logs: meta.logs(),
    units: meta.computeUnitsConsumed(),
    inner: innerInstructionsOf(meta),
    returnData:
      returned.data().length === 0
        ? null
        : {
            programId: base58(returned.programId()),
            data: [Buffer.from(returned.data()).toString('base64'), 'base64'],
          },
    after: 'postAccounts' in result ? statesAfter(result) : new Map(),
  };
}

function statesAfter(simulated: SimulatedTransactionInfo): ReadonlyMap<string, AccountState> {
  return new Map(
    simulated.postAccounts().flatMap((entry) => {
      const state = stateOf(entry.account());
      return state === undefined ? [] : [[base58(entry.address), state] as const];
    }),
  );
}

function innerInstructionsOf(meta: TransactionMetadata): readonly InnerInstructions[] {
  return meta.innerInstructions().flatMap((calls, index) => {
    if (calls.length === 0) return [];
    const instructions = calls.map((call) => ({
      programIdIndex: call.instruction().programIdIndex(),
      accounts: [...call.instruction().accounts()],
      data: base58(call.instruction().data()),
      stackHeight: call.stackHeight(),
    }));
    return [{ index, instructions }];
  });
}
