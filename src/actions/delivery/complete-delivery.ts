import type { UnsignedCall } from '../../venues/quote-provider';
import type { DeliveryDeps } from './delivery-deps';
import { isExpiredPayout } from './poll-task';
import type { Report } from './report';
import type { Verdict } from './outcome';

/** What the service's transactions that complete transfers are for. */
const PURPOSE = 'completion';

/**
 * A transfer that waits for somebody to send its completing call: the service sends it where it can, else the call is
 * handed to the customer. The service pays for gas alone, never for the call.
 */
export async function completeDelivery(deps: DeliveryDeps, report: Report): Promise<Verdict> {
  const { shipment, source, signal } = report;
  const call = await source.completion?.(shipment, signal);
  if (call === undefined) return { kind: 'wait', substatus: 'WAITING_DESTINATION', completion: undefined };
  if (await isSent(deps, report, call))
    return { kind: 'wait', substatus: 'WAITING_DESTINATION', completion: undefined };
  return { kind: 'wait', substatus: 'DESTINATION_MINT_REQUIRED', completion: call };
}

async function isSent(
  { database, serviceWallet, leastCompletionUsd, rpc, log }: DeliveryDeps,
  { transfer, signal }: Report,
  call: UnsignedCall,
): Promise<boolean> {
  const { actionId, customerId, status } = transfer;
  if (serviceWallet === undefined || !(status === 'PENDING' || isExpiredPayout(transfer))) return false;
  if (call.value !== 0n || !rpc.serves(call.chainId)) return false;
  if (!(await isWorth({ database, leastCompletionUsd }, actionId))) return false;
  const sending = await serviceWallet.send({ customerId, actionId, purpose: PURPOSE, call, signal });
  if (typeof sending === 'object') return true;
  log.warn({ actionId, chainId: call.chainId, sending }, 'the service could not complete a transfer');
  return false;
}

/** Gas costs the service the same for a cent as for a million: what is worth less, its receiver completes. */
async function isWorth(
  { database, leastCompletionUsd }: Pick<DeliveryDeps, 'database' | 'leastCompletionUsd'>,
  actionId: string,
): Promise<boolean> {
  const action = await database.action.findUnique({ where: { id: actionId }, select: { amountInUsd: true } });
  return action?.amountInUsd?.gte(leastCompletionUsd) === true;
}
