import type { UnsignedCall } from '../../venues/quote-provider';
import type { DeliveryDeps } from './delivery-deps';
import type { DeliveryOutcome, ProviderReport } from './outcome';
import { isExpiredPayout } from './poll-task';

/** Purpose of the service's transactions that complete transfers. */
const PURPOSE = 'completion';

/** Result for the completing call. `unaffordable`: the receiver has to send it. `failed`: the next poll tries again. */
type Sending = 'sent' | 'unaffordable' | 'failed';

/**
 * Sends the completing call of a transfer with the service's wallet where possible; otherwise the call is shown to the
 * customer. The service pays for gas only: a call with a value is the customer's to send.
 */
export async function completeDelivery(deps: DeliveryDeps, report: ProviderReport): Promise<DeliveryOutcome> {
  const { bridgeTransfer, source, signal } = report;
  const call = await source.completion?.(bridgeTransfer, signal);
  const sending = call === undefined ? 'sent' : await send(deps, report, call);
  if (sending === 'sent') return { kind: 'wait', substatus: 'WAITING_DESTINATION', completion: undefined };
  const completedByReceiver = sending === 'unaffordable';
  return { kind: 'wait', substatus: 'DESTINATION_MINT_REQUIRED', completion: call, completedByReceiver };
}

async function send(deps: DeliveryDeps, { transfer, signal }: ProviderReport, call: UnsignedCall): Promise<Sending> {
  const { serviceWallet, rpc, log } = deps;
  const { actionId, customerId, status } = transfer;
  if (serviceWallet === undefined || !(status === 'PENDING' || isExpiredPayout(transfer))) return 'failed';
  if (call.value !== 0n || !rpc.serves(call.chainId)) return 'failed';
  const maxGasMicroUsd = await maxGasCost(deps, actionId);
  if (maxGasMicroUsd === undefined) return 'unaffordable';
  const sending = await serviceWallet.send({ customerId, actionId, purpose: PURPOSE, call, maxGasMicroUsd, signal });
  if (typeof sending === 'object') return 'sent';
  // Expected for small transfers, and when a budget is exhausted: that is logged once for all of them.
  if (sending === 'unaffordable') return 'unaffordable';
  // A missing price is logged once for all transfers of the chain.
  if (sending === 'unpriced') return 'failed';
  log.warn({ actionId, chainId: call.chainId, sending }, 'the service could not complete a transfer');
  return 'failed';
}

const MICRO_USD = 1_000_000;

/**
 * The maximum cost of the gas for a transfer, in millionths of a US dollar. Gas costs the same for any amount: `undefined`
 * for transfers below the minimum, which the receiver completes.
 */
async function maxGasCost(
  { database, minCompletionUsd, maxCompletionCostShare }: DeliveryDeps,
  actionId: string,
): Promise<bigint | undefined> {
  const action = await database.action.findUnique({ where: { id: actionId }, select: { amountInUsd: true } });
  const amount = action?.amountInUsd ?? undefined;
  if (amount === undefined || amount.lt(minCompletionUsd)) return undefined;
  return BigInt(amount.mul(maxCompletionCostShare).mul(MICRO_USD).floor().toFixed(0));
}
