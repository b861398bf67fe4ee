import type { ReturnedTokens } from './refunded-amount';
import type { TransferAction } from './transfer-action';

/** Chain and hash of a transaction that a provider names. */
export interface ClaimedTransactionRef {
  readonly chainId: number;
  readonly txHash: string;
}

/**
 * What a chain says about a claim.
 *
 * - `verified`: the transaction succeeded and moved tokens to the expected account; `flaw` says what is wrong with them.
 *   `final` when no reorganisation can undo it.
 * - not `verified`: the chain does not have the transaction yet, or it is not the claimed one.
 */
export type OnchainResult =
  | ({ readonly verified: true; readonly block: VerifiedBlock; readonly final: boolean } & Arrival)
  | { readonly verified: false; readonly reason: string };

export interface VerifiedBlock {
  readonly number: bigint;
  readonly hash: string;
  /** Unix seconds. */
  readonly timestamp: bigint;
}

/** Tokens that a transaction moved to the expected account. */
export interface Arrival {
  /** Base units of the expected token; `undefined` when only another token arrived. */
  readonly amount: bigint | undefined;
  /** Why the tokens that arrived do not match the quote. */
  readonly flaw: string | undefined;
  /** Set for refunds: the tokens that were returned, whichever they are. */
  readonly returned?: ReturnedTokens | undefined;
}

/** A claimed transaction that its chain has. */
export interface ClaimedTransaction<Movements> {
  /** Why the transaction had no effect; `undefined` when it succeeded. */
  readonly failure: string | undefined;
  readBlock(): Promise<VerifiedBlock>;
  /** True when the transaction executes another action, and therefore delivers nothing. */
  executesAnotherAction(): Promise<boolean>;
  readMovements(): Promise<Movements>;
  isFinal(): Promise<boolean>;
}

/** Chains have clocks of their own: a transaction may seem older than its action by this much. */
const CLOCK_SKEW_SECONDS = 600n;

/** Checks a claimed transaction; `transaction` is `undefined` when the chain does not have it. */
export async function verifyOnChain<Movements>(
  { createdAt }: Pick<TransferAction, 'createdAt'>,
  transaction: ClaimedTransaction<Movements> | undefined,
  findArrival: (movements: Movements) => Arrival | undefined | Promise<Arrival | undefined>,
): Promise<OnchainResult> {
  if (transaction === undefined) return unverified('the chain does not have the transaction');
  if (transaction.failure !== undefined) return unverified(transaction.failure);
  const block = await transaction.readBlock();
  const createdSeconds = BigInt(Math.floor(createdAt.getTime() / 1000));
  if (block.timestamp + CLOCK_SKEW_SECONDS < createdSeconds)
    return unverified('the transaction is older than the action');
  if (await transaction.executesAnotherAction()) return unverified('the transaction executes another action');
  const arrival = await findArrival(await transaction.readMovements());
  if (arrival === undefined) return unverified('the transaction did not move the claimed tokens');
  return { verified: true, block, final: await transaction.isFinal(), ...arrival };
}

const unverified = (reason: string): OnchainResult => ({ verified: false, reason });
