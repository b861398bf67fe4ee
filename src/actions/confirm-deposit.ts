import { FIAT_CHAIN_ID } from '../chains/chain';
import { serviceError } from '../errors/service-error';
import { runForService } from '../persistence/customer-scope';
import type { Database } from '../persistence/database';
import type { ActionRow } from './action-row';
import { depositSchema } from './delivery/claim-deliveries';
import { recordDeposit } from './delivery/record-deposit';
import { readTransferAction } from './delivery/transfer-action';
import { POLL_NOW } from './state/poll-now';

/** A deposit address that was issued for an action. */
export interface AwaitedDeposit {
  readonly chainId: number;
  readonly address: string;
  readonly reference: string;
}

/** True when a transaction pays to a deposit address. @throws PROVIDER_UNAVAILABLE when the chain does not respond. */
export type FindDeposit = (deposit: AwaitedDeposit, txHash: string, signal: AbortSignal) => Promise<boolean>;

export interface FindDepositDeps {
  readonly database: Database;
  /** Absent when no chain with deposits is served. */
  readonly findDeposit?: FindDeposit | undefined;
}

export interface ReportedDeposit {
  readonly btcTxHash: string;
  readonly signal: AbortSignal;
}

/**
 * Records the Bitcoin transaction that paid the deposit of an action, as a caller reports it, once the chain confirms it.
 * The action no longer waits for its origin, and its delivery is polled at once.
 *
 * @throws DEPOSIT_NOT_FOUND when the action has no deposit address, or the transaction does not pay it;
 * PROVIDER_UNAVAILABLE when the chain does not respond.
 */
export async function confirmDeposit(
  { database, findDeposit }: FindDepositDeps,
  { id: actionId, chainIdIn: chainId, steps }: Pick<ActionRow, 'id' | 'chainIdIn' | 'steps'>,
  { btcTxHash, signal }: ReportedDeposit,
): Promise<void> {
  const txHash = btcTxHash.toLowerCase();
  const delivery = await database.delivery.findUnique({ where: { actionId }, select: { deposit: true } });
  const deposit = depositSchema.safeParse(delivery?.deposit);
  // A payment through a ramp is not on a chain.
  if (!deposit.success || chainId === FIAT_CHAIN_ID) throw serviceError('DEPOSIT_NOT_FOUND');
  if (steps[0]?.txHash === txHash) return;
  const isKnown = /^[0-9a-f]{64}$/.test(txHash);
  const found = isKnown && (await findDeposit?.({ chainId, ...deposit.data }, txHash, signal)) === true;
  if (!found) throw serviceError('DEPOSIT_NOT_FOUND');
  const transfer = await readTransferAction(database, actionId);
  // The action belongs to the customer. The check that no other action has the transaction spans all customers.
  await runForService('chainTransactions', () =>
    database.$transaction(async (tx) => {
      await recordDeposit(tx, transfer, { txHash, final: false });
      await tx.$executeRaw`
        UPDATE "Delivery" SET ${POLL_NOW} WHERE "actionId" = ${actionId}::uuid AND phase = 'ACTIVE'`;
    }),
  );
}
