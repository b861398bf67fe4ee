import type { UnsignedCall } from '../../venues/quote-provider';
import type { DeliveryDeps } from './delivery-deps';
import type { DeliveryOutcome, ProviderReport } from './outcome';
import { isExpiredPayout } from './poll-task';

/** Purpose of the service's transactions that complete transfers. */
const PURPOSE = 'completion';

/**
 * Sends the completing call of a transfer with the service's wallet where possible; otherwise the call is shown to the
 * customer. The service pays for gas only: a call with a value is the customer's to send.
 */
export async function completeDelivery(deps: DeliveryDeps, report: ProviderReport): Promise<DeliveryOutcome> {
  const { bridgeTransfer, source, signal } = report;
  const call = await source.completion?.(bridgeTransfer, signal);
  if (call === undefined) return { kind: 'wait', substatus: 'WAITING_DESTINATION', completion: undefined };
  if (await send(deps, report, call)) return { kind: 'wait', substatus: 'WAITING_DESTINATION', completion: undefined };
  return { kind: 'wait', substatus: 'DESTINATION_MINT_REQUIRED', completion: call };
}

/** True when the service has sent the call, now or before. */
async function send(
  { database, serviceWallet, minCompletionUsd, rpc, log }: DeliveryDeps,
  { transfer, signal }: ProviderReport,
  call: UnsignedCall,
): Promise<boolean> {
  const { actionId, customerId, status } = transfer;
  if (serviceWallet === undefined || !(status === 'PENDING' || isExpiredPayout(transfer))) return false;
  if (call.value !== 0n || !rpc.serves(call.chainId)) return false;
  if (!(await isWorthSending({ database, minCompletionUsd }, actionId))) return false;
  const sending = await serviceWallet.send({ customerId, actionId, purpose: PURPOSE, call, signal });
  if (typeof sending === 'object') return true;
  log.warn({ actionId, chainId: call.chainId, sending }, 'the service could not complete a transfer');
  return false;
}

/** Gas costs the same for any amount: the receiver completes transfers below the minimum. */
async function isWorthSending(
  { database, minCompletionUsd }: Pick<DeliveryDeps, 'database' | 'minCompletionUsd'>,
  actionId: string,
): Promise<boolean> {
  const action = await database.action.findUnique({ where: { id: actionId }, select: { amountInUsd: true } });
  return action?.amountInUsd?.gte(minCompletionUsd) === true;
}
