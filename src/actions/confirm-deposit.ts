import { FIAT_CHAIN_ID } from '../chains/chain';
import { serviceError } from '../errors/service-error';
import type { Database } from '../persistence/database';
import type { ActionRow } from './action-row';
import { noteDeposit } from './delivery/record-deposit';
import { readTransfer } from './delivery/transfer-action';
import { depositJson } from './delivery/due-deliveries';

/** A deposit address that an action waits at. */
export interface AwaitedDeposit {
  readonly chainId: number;
  readonly address: string;
  readonly reference: string;
}

/** True when a transaction pays to a deposit address. @throws PROVIDER_UNAVAILABLE when the chain could not be asked. */
export type FindDeposit = (deposit: AwaitedDeposit, txHash: string, signal: AbortSignal) => Promise<boolean>;

export interface FindDepositDeps {
  readonly database: Database;
  /** Who can look for deposits; without it there is none to be found. */
  readonly findDeposit?: FindDeposit | undefined;
}

export interface DepositQuestion {
  readonly btcTxHash: string;
  readonly signal: AbortSignal;
}

/**
 * Takes a caller's word for which Bitcoin transaction paid the deposit of an action, after the chain has confirmed it:
 * the action then waits no more for its origin, and its provider is asked at once.
 *
 * @throws DEPOSIT_NOT_FOUND when the action asked for none, or the transaction is not one that pays it;
 * PROVIDER_UNAVAILABLE when the chain could not be asked.
 */
export async function confirmDeposit(
  { database, findDeposit }: FindDepositDeps,
  { id: actionId, chainIdIn: chainId, steps }: Pick<ActionRow, 'id' | 'chainIdIn' | 'steps'>,
  { btcTxHash, signal }: DepositQuestion,
): Promise<void> {
  const txHash = btcTxHash.toLowerCase();
  const delivery = await database.delivery.findUnique({ where: { actionId }, select: { deposit: true } });
  const deposit = depositJson.safeParse(delivery?.deposit);
  // A payment through a ramp is none of a chain's.
  if (!deposit.success || chainId === FIAT_CHAIN_ID) throw serviceError('DEPOSIT_NOT_FOUND');
  if (steps[0]?.txHash === txHash) return;
  const isKnown = /^[0-9a-f]{64}$/.test(txHash);
  const found = isKnown && (await findDeposit?.({ chainId, ...deposit.data }, txHash, signal)) === true;
  if (!found) throw serviceError('DEPOSIT_NOT_FOUND');
  const transfer = await readTransfer(database, actionId);
  await database.$transaction(async (tx) => {
    await noteDeposit(tx, transfer, { txHash, final: false });
    await tx.$executeRaw`
      UPDATE "Delivery" SET "nextLookAt" = now(), looks = 0
       WHERE "actionId" = ${actionId}::uuid AND "nextLookAt" IS NOT NULL`;
  });
}
