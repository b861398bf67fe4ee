import type { Address, PublicClient } from 'viem';
import { requestEach } from '../../../rpc/request-each';
import { decodeSafeTransaction, wasSafeAt } from '../../../smart-accounts/safe-transaction';
import type { Database } from '../../../persistence/database';
import { callKeyOf, type MatchedTransaction } from '../match-transactions';
import { openKinds, sendersWithOpenCalls } from '../open-calls';
import type { MinedBlock } from '../read-blocks';

/** A call of a Safe in a transaction to it, identical to an open call. The receipt shows whether it was made. */
export interface MatchedSafeCall extends MatchedTransaction {
  /** Position among the calls of the Safe in the transaction. */
  readonly callIndex: number;
}

/** Calls of one transaction that are compared with the open ones: a batch may repeat a call very often. */
export const MAX_CALLS = 500;
/** Largest difference between the clocks of a chain and the database. */
const MAX_CLOCK_DIFFERENCE_SECONDS = 300;

/**
 * When a call without the id of its action was issued at the latest if a Safe makes it in this block. The nonce of the
 * transaction does not show that it is older than the call: another account has sent it.
 */
export const untaggedUntil = ({ timestamp }: Pick<MinedBlock, 'timestamp'>): Date =>
  new Date((Number.parseInt(timestamp.toString(), 10) + MAX_CLOCK_DIFFERENCE_SECONDS) * 1000);

/**
 * The calls in these blocks that Safes make and that carry out open calls, in the order of the chain. Any account may send
 * the transaction, and any contract may resemble a Safe: see `withoutForgedCalls`.
 */
export async function matchSafeCalls(
  database: Database,
  chainId: number,
  blocks: readonly MinedBlock[],
): Promise<readonly MatchedSafeCall[]> {
  const mined = blocks.flatMap((block) =>
    block.transactions.filter(isToSafe).map((transaction) => ({ transaction, block, safe: safeOf(transaction) })),
  );
  const senders = [...new Set(mined.map(({ safe }) => safe))];
  const active = await sendersWithOpenCalls(database, { chainId, form: 'CALL', senders });
  const candidates = mined.filter(({ safe }) => active.has(safe)).flatMap(candidatesIn);
  const keys = candidates.map(({ key }) => key);
  const kinds = await openKinds(database, chainId, keys);
  return candidates.flatMap((candidate, index) => {
    const own = kinds[index];
    return own?.approval === true || own?.other === true ? [{ ...candidate, kinds: own }] : [];
  });
}

type Transaction = MinedBlock['transactions'][number];

/** Selector of `execTransaction`. */
const EXECUTION = '0x6a761202';

/** The node may describe system transactions without calldata. */
const isToSafe = ({ to, input }: Transaction): boolean =>
  typeof to === 'string' && ((input as string | undefined) ?? '').startsWith(EXECUTION);

const safeOf = ({ to }: Transaction): string => to?.toLowerCase() ?? '';

interface SafeTransaction extends Pick<MatchedSafeCall, 'transaction'> {
  readonly block: MinedBlock;
  /** Lower case. */
  readonly safe: string;
}

function candidatesIn({ transaction, block, safe }: SafeTransaction): readonly Omit<MatchedSafeCall, 'kinds'>[] {
  const calls = decodeSafeTransaction(transaction.input) ?? [];
  return calls.slice(0, MAX_CALLS).map(({ to, value, data }, callIndex) => {
    const key = callKeyOf({ from: safe, to, value, input: data }, block);
    return { transaction, block, key: { ...key, untaggedUntil: untaggedUntil(block) }, callIndex };
  });
}

export interface VerifiedCalls<Found> {
  readonly found: readonly Found[];
  /** One call of each transaction whose account could not be read. */
  readonly failed: readonly { readonly found: Found; readonly error: unknown }[];
}

/** Removes the calls of contracts that are no Safes. Other transactions stay as they are. Reads each account once a block. */
export async function withoutForgedCalls<Found extends MatchedTransaction>(
  client: PublicClient,
  found: readonly Found[],
): Promise<VerifiedCalls<Found>> {
  const calls = found.filter(isSafeCall);
  const accounts = distinct(calls, accountOf);
  const results = await requestEach(
    accounts.map(
      ({ key, block }) =>
        () =>
          wasSafeAt(client, key.sender as Address, block.number),
    ),
  );
  const checks = new Map(accounts.map((each, index) => [accountOf(each), results[index]]));
  const failed = distinct(calls, ({ transaction }) => transaction.hash).flatMap((each) => {
    const check = checks.get(accountOf(each));
    return check?.status === 'rejected' ? [{ found: each, error: check.reason as unknown }] : [];
  });
  const isGenuine = (each: Found): boolean => {
    const check = checks.get(accountOf(each));
    return !isSafeCall(each) || (check?.status === 'fulfilled' && check.value);
  };
  return { found: found.filter(isGenuine), failed };
}

const isSafeCall = (found: object): boolean => 'callIndex' in found;

/** Identifies an account at a block. */
const accountOf = ({ key, block }: MatchedTransaction): string => `${key.sender} ${block.hash}`;

/** One item for each key. */
const distinct = <Item>(items: readonly Item[], keyOf: (item: Item) => string): readonly Item[] => [
  ...new Map(items.map((item) => [keyOf(item), item])).values(),
];
