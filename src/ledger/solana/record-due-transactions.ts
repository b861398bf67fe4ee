import { LeaseLostError } from '../../actions/tracker/chain-lease';
import { describeFailure } from '../../errors/describe-failure';
import type { Transaction } from '../../persistence/database';
import type { LandedTransaction } from '../../rpc/solana/landed-transaction';
import { fenced } from '../ledger-cursor';
import { accountsIn, movementsOfTransaction } from './movements-of-transaction';
import type { SolanaLedgerDeps } from './solana-ledger-deps';
import {
  addAccounts,
  dueSignatures,
  ForgottenWalletError,
  keepWallet,
  postponeSignature,
  readAccounts,
  type ReadTransaction,
  recordSolanaTransactions,
} from './solana-wallet-store';

/** A wallet whose found transactions are read. */
interface RecordedWallet {
  readonly chainId: number;
  readonly wallet: { readonly id: bigint; readonly address: string };
}

/** The result of a reading of transactions. */
interface RecordResult {
  readonly movements: number;
  /** Token accounts beyond the limit. */
  readonly omitted: number;
  readonly hasNewAccounts: boolean;
}

/** A transaction, and the token accounts of the wallet that it names. */
interface TransactionWithAccounts extends ReadTransaction {
  readonly accounts: readonly string[];
}

interface FailedTransaction {
  readonly signature: string;
  readonly reason: string;
}

interface Batch {
  readonly read: readonly TransactionWithAccounts[];
  readonly failed: readonly FailedTransaction[];
}

/** Statements about a wallet that is watched, of the replica with the lease of the chain. */
export const writeWallet = <Result>(
  deps: SolanaLedgerDeps,
  { chainId, wallet }: RecordedWallet,
  work: (tx: Transaction) => Promise<Result>,
): Promise<Result> =>
  fenced(deps, chainId, async (tx) => {
    await keepWallet(tx, wallet.id);
    return work(tx);
  });

/**
 * Reads due transactions and records their movements; one that cannot be read, or recorded, is set aside.
 *
 * @throws when the node does not respond
 */
export async function recordDue(deps: SolanaLedgerDeps, recorded: RecordedWallet): Promise<RecordResult> {
  const { database, solana } = deps;
  const { chainId, wallet } = recorded;
  const due = (await dueSignatures(database, wallet.id)).map(({ signature }) => signature);
  if (due.length === 0) return { movements: 0, omitted: 0, hasNewAccounts: false };
  const responses = await solana.eachTransaction(chainId, { signatures: due, commitment: 'finalized' });
  const accounts = new Set((await readAccounts(database, wallet.id)).map(({ address }) => address));
  const batch = classifyResponses({ wallet: wallet.address, accounts, due, responses });
  const { movements, omitted } = await recordBatch(deps, recorded, batch);
  const hasNewAccounts = batch.read.some((read) => read.accounts.some((account) => !accounts.has(account)));
  return { movements, omitted, hasNewAccounts: hasNewAccounts && omitted === 0 };
}

type Counts = Pick<RecordResult, 'movements' | 'omitted'>;

/** All in one database transaction; each in one of its own when that fails, so that one that cannot be stored stops no other. */
async function recordBatch(deps: SolanaLedgerDeps, recorded: RecordedWallet, batch: Batch): Promise<Counts> {
  try {
    return await writeBatch(deps, recorded, batch);
  } catch (error) {
    if (isFatal(error)) throw error;
    return recordEach(deps, recorded, batch);
  }
}

async function recordEach(deps: SolanaLedgerDeps, recorded: RecordedWallet, { read, failed }: Batch): Promise<Counts> {
  let [movements, omitted] = [0, 0];
  const unstored: FailedTransaction[] = [];
  for (const each of read) {
    try {
      const counts = await writeBatch(deps, recorded, { read: [each], failed: [] });
      movements += counts.movements;
      omitted = Math.max(omitted, counts.omitted);
    } catch (error) {
      if (isFatal(error)) throw error;
      unstored.push({ signature: each.signature, reason: `it could not be stored: ${describeFailure(error).name}` });
    }
  }
  // Without any the database itself is at fault.
  if (unstored.length === read.length && read.length > 1) throw new UnstoredError('no transaction could be stored');
  await writeBatch(deps, recorded, { read: [], failed: [...failed, ...unstored] });
  return { movements, omitted };
}

/** The transactions of a wallet were read, and not stored. */
class UnstoredError extends Error {
  override readonly name = 'UnstoredError';
}

const isFatal = (error: unknown): boolean => error instanceof LeaseLostError || error instanceof ForgottenWalletError;

const writeBatch = (deps: SolanaLedgerDeps, recorded: RecordedWallet, { read, failed }: Batch): Promise<Counts> =>
  writeWallet(deps, recorded, async (tx) => {
    const { id } = recorded.wallet;
    const omitted = await addAccounts(
      tx,
      id,
      read.flatMap(({ accounts }) => accounts),
    );
    const movements = await recordSolanaTransactions(tx, id, read);
    for (const each of failed) await postponeSignature(tx, id, each);
    return { movements, omitted };
  });

type Response = PromiseSettledResult<LandedTransaction | undefined> | undefined;

interface Responses {
  readonly wallet: string;
  readonly accounts: ReadonlySet<string>;
  readonly due: readonly string[];
  readonly responses: readonly Response[];
}

function classifyResponses({ wallet, accounts, due, responses }: Responses): Batch {
  const read: TransactionWithAccounts[] = [];
  const failed: FailedTransaction[] = [];
  for (const [index, signature] of due.entries()) {
    const landed = readableOf({ signature, wallet, response: responses[index] });
    if (typeof landed === 'string') {
      failed.push({ signature, reason: landed });
      continue;
    }
    const entries = movementsOfTransaction(landed, { wallet, accounts });
    read.push({
      signature,
      slot: landed.slot,
      blockTime: landed.blockTime,
      entries,
      accounts: accountsIn(landed, wallet),
    });
  }
  return { read, failed };
}

/** The transaction of a response, or why it cannot be recorded. */
function readableOf({
  signature,
  wallet,
  response,
}: {
  readonly signature: string;
  readonly wallet: string;
  readonly response: Response;
}): (LandedTransaction & { readonly blockTime: number }) | string {
  if (response?.status === 'rejected') return describeFailure(response.reason).message;
  const landed = response?.value;
  if (landed === undefined) return 'the node does not have it';
  if (landed.signature !== signature) return 'the node returned another transaction';
  const { blockTime, lamports } = landed;
  if (blockTime === undefined) return 'the node does not know its time';
  const { before, after } = lamports.get(wallet) ?? { before: 0n, after: 0n };
  if (before > MAX_EXACT || after > MAX_EXACT)
    return 'the lamports of the wallet are above what JSON numbers contain exactly';
  return { ...landed, blockTime };
}

/** Above it nodes return lamports that are rounded. */
const MAX_EXACT = BigInt(Number.MAX_SAFE_INTEGER);
