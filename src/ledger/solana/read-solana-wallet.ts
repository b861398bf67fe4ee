import { WRAPPED_SOL } from '../../chains/addresses';
import { LeaseLostError } from '../../actions/tracker/chain-lease';
import { invariant } from '../../errors/invariant-error';
import type { OwnedTokens } from '../../rpc/solana/owned-tokens';
import { recordDue, writeWallet } from './record-due-transactions';
import { type AccountScan, addPage, restartedScan, nextPage, PageError } from './scan-account';
import { LIMITS, type SolanaLedgerDeps } from './solana-ledger-deps';
import {
  addAccounts,
  type DueWallet,
  ForgottenWalletError,
  readAccounts,
  readCounts,
  storeScan,
  sumsOf,
} from './solana-wallet-store';

/** A wallet that is read, up to a finalized slot. */
export interface WalletReading {
  readonly chainId: number;
  readonly wallet: DueWallet;
  readonly slot: number;
}

/** What a reading has found. */
export interface ReadingResult {
  readonly movements: number;
  readonly signatures: number;
  /** True when every signature up to the slot was found, and all but unreadable transactions are recorded. */
  readonly isComplete: boolean;
  readonly omittedAccounts: number;
  readonly history: DueWallet['history'];
  readonly differences: number;
}

/**
 * Reads the next transactions of a wallet: first the signatures of all its accounts, since the transactions of the wallet itself do
 * not include transfers to its token accounts, then the transactions. What was read is kept when it fails, and an account whose
 * signatures cannot be read does not keep those of the others from being recorded.
 *
 * @throws when the node or the database does not respond
 */
export async function readSolanaWallet(deps: SolanaLedgerDeps, reading: WalletReading): Promise<ReadingResult> {
  const { database } = deps;
  const { wallet } = reading;
  // Before the signatures: a deposit in between is in the movements, and they are compared again.
  const owned = await ownedTokens(deps, reading);
  const accounts = ownAccounts(wallet.address, owned);
  const unlisted = owned === undefined ? 1 : 0;
  const omitted = unlisted + (await writeWallet(deps, reading, (tx) => addAccounts(tx, wallet.id, accounts)));
  const signatures = await scanAccounts(deps, reading);
  const recorded = await recordDue(deps, reading);
  if (signatures.failure !== undefined) throw signatures.failure;
  const counts = await readCounts(database, wallet.id);
  const isComplete = signatures.isComplete && !recorded.hasNewAccounts && counts.waiting === counts.unreadable;
  const omittedAccounts = omitted + recorded.omitted;
  const found = { movements: recorded.movements, signatures: signatures.count, isComplete, omittedAccounts };
  if (!isComplete) return { ...found, history: wallet.history, differences: wallet.differences };
  const isPartial = counts.unreadable > 0 || counts.isCut || omittedAccounts > 0;
  const proof = isPartial || owned === undefined ? UNPROVEN : await prove(deps, reading, owned);
  return { ...found, ...proof };
}

const UNPROVEN = { history: 'unproven', differences: 0 } as const;

/** `undefined` for a wallet with too many token accounts to list, such as a target of spam. */
async function ownedTokens(
  { solana }: SolanaLedgerDeps,
  { chainId, wallet }: WalletReading,
): Promise<OwnedTokens | undefined> {
  const [owned] = await solana.ownedTokensOfEach(chainId, [wallet.address]);
  return owned?.status === 'fulfilled' ? owned.value : undefined;
}

/** @throws the reason of a response that failed */
function valueOf<Value>(response: PromiseSettledResult<Value> | undefined): Value {
  invariant(response !== undefined, 'every request has a response');
  if (response.status === 'fulfilled') return response.value;
  throw response.reason as Error;
}

/** The wallet first, then accounts with tokens: these stay when there are too many. */
const ownAccounts = (
  wallet: string,
  { holdings }: Pick<OwnedTokens, 'holdings'> = { holdings: [] },
): readonly string[] => [
  wallet,
  ...holdings.filter(({ amount }) => amount > 0n).map(({ account }) => account),
  ...holdings.filter(({ amount }) => amount === 0n).map(({ account }) => account),
];

interface ScanResult {
  readonly count: number;
  readonly isComplete: boolean;
  /** The last one of an account. */
  readonly failure: Error | undefined;
}

/** Reads the pages of all accounts, a page of each in one request. One account that fails does not fail the others. */
async function scanAccounts(deps: SolanaLedgerDeps, reading: WalletReading): Promise<ScanResult> {
  const { database } = deps;
  const walletId = reading.wallet.id;
  let open = await readAccounts(database, walletId);
  let [count, failure]: [number, Error | undefined] = [0, undefined];
  for (let round = 0; round < LIMITS.pages && open.length > 0; round += 1) {
    const { waiting, unreadable } = await readCounts(database, walletId);
    // Those that no node shows may wait for ever: they must not keep later ones from being found.
    if (waiting - unreadable >= LIMITS.waiting) return { count, isComplete: false, failure };
    const scanned = await scanRound(deps, reading, open);
    count += scanned.count;
    open = scanned.open;
    failure = scanned.failure ?? failure;
  }
  return { count, isComplete: open.length === 0, failure };
}

/** Reads the next page of each account. The failure is the last one. */
async function scanRound(
  deps: SolanaLedgerDeps,
  reading: WalletReading,
  accounts: readonly AccountScan[],
): Promise<{ readonly open: readonly AccountScan[]; readonly count: number; readonly failure: Error | undefined }> {
  const requests = accounts.map((scan) => nextPage(scan, { limit: LIMITS.page, minSlot: reading.slot }));
  const pages = await deps.solana.signaturePages(reading.chainId, requests);
  const open: AccountScan[] = [];
  let count = 0;
  let failure: Error | undefined;
  for (const [index, scan] of accounts.entries()) {
    try {
      const { isComplete, ...scanned } = addPage(scan, valueOf(pages[index]), LIMITS.history);
      count += scanned.found.length;
      if (hasMoved(scan, scanned.scan)) await store(deps, reading, scanned);
      if (!isComplete) open.push(scanned.scan);
    } catch (error) {
      if (error instanceof LeaseLostError || error instanceof ForgottenWalletError) throw error;
      if (error instanceof PageError) await store(deps, reading, { scan: restartedScan(scan), found: [] });
      failure = error as Error;
    }
  }
  return { open, count, failure };
}

const store = (
  deps: SolanaLedgerDeps,
  reading: WalletReading,
  scanned: Parameters<typeof storeScan>[2],
): Promise<void> => writeWallet(deps, reading, (tx) => storeScan(tx, reading.wallet.id, scanned));

const hasMoved = (before: AccountScan, after: AccountScan): boolean =>
  JSON.stringify(placeOf(before)) !== JSON.stringify(placeOf(after));

const placeOf = ({ headSignature, topSignature, lastSignature, priorSignature, read, oldestSlot }: AccountScan) => ({
  headSignature,
  topSignature,
  lastSignature,
  priorSignature,
  read,
  isCut: oldestSlot !== null,
});

/** Readings in a row that may differ: a balance is newer than the finalized movements, until nothing moves for a while. */
const MAX_DIFFERENCES = 5;

/** Compares the sum of the movements of each token with its balance. */
async function prove(
  { database }: SolanaLedgerDeps,
  { wallet }: WalletReading,
  { holdings }: OwnedTokens,
): Promise<Pick<ReadingResult, 'history' | 'differences'>> {
  const sums = await sumsOf(database, wallet.id, WRAPPED_SOL);
  const balances = new Map<string, bigint>();
  for (const { mint, amount } of holdings) balances.set(mint, (balances.get(mint) ?? 0n) + amount);
  balances.delete(WRAPPED_SOL);
  const mints = new Set([...sums.keys(), ...balances.keys()]);
  const isEqual = [...mints].every((mint) => (sums.get(mint) ?? 0n) === (balances.get(mint) ?? 0n));
  if (isEqual) return { history: 'proven', differences: 0 };
  const differences = wallet.differences + 1;
  return { history: differences >= MAX_DIFFERENCES ? 'unproven' : wallet.history, differences };
}
