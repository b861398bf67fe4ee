import type { ReturnedTokens } from './refunded-amount';
import type { TransferAction } from './transfer-action';

/** A transaction that a provider names. */
export interface Claim {
  readonly chainId: number;
  readonly txHash: string;
}

/**
 * What a chain says about a claim.
 *
 * - `proven`: the transaction succeeded and moved tokens to the expected account; `flaw` says what is wrong with them.
 *   `final` when no reorganisation can undo it.
 * - not `proven`: the chain does not have the transaction yet, or it is not the claimed one.
 */
export type Proof =
  | ({ readonly proven: true; readonly block: ProvenBlock; readonly final: boolean } & Arrival)
  | { readonly proven: false; readonly reason: string };

export interface ProvenBlock {
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
  readBlock(): Promise<ProvenBlock>;
  /** True when the transaction executes another action, and therefore delivers nothing. */
  executesAnotherAction(): Promise<boolean>;
  readMovements(): Promise<Movements>;
  isFinal(): Promise<boolean>;
}

/** Chains have clocks of their own: a transaction may seem older than its action by this much. */
const CLOCK_SKEW_SECONDS = 600n;

/** Checks a claimed transaction; `transaction` is `undefined` when the chain does not have it. */
export async function prove<Movements>(
  { createdAt }: Pick<TransferAction, 'createdAt'>,
  transaction: ClaimedTransaction<Movements> | undefined,
  findArrival: (movements: Movements) => Arrival | undefined | Promise<Arrival | undefined>,
): Promise<Proof> {
  if (transaction === undefined) return unproven('the chain does not have the transaction');
  if (transaction.failure !== undefined) return unproven(transaction.failure);
  const block = await transaction.readBlock();
  const createdSeconds = BigInt(Math.floor(createdAt.getTime() / 1000));
  if (block.timestamp + CLOCK_SKEW_SECONDS < createdSeconds)
    return unproven('the transaction is older than the action');
  if (await transaction.executesAnotherAction()) return unproven('the transaction executes another action');
  const arrival = await findArrival(await transaction.readMovements());
  if (arrival === undefined) return unproven('the transaction did not move the claimed tokens');
  return { proven: true, block, final: await transaction.isFinal(), ...arrival };
}

const unproven = (reason: string): Proof => ({ proven: false, reason });
