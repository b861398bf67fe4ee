import { partOf, WHOLE_SHARE } from '../../money/slippage';
import { type MicroUsd, toMicroUsd } from '../../money/usd';
import { usdOfColumn } from '../../persistence/usd-column';
import type { UnsignedCall } from '../../venues/quote-provider';
import type { DeliveryDeps } from './delivery-deps';
import type { DeliveryOutcome, ProviderReport } from './outcome';
import { isExpiredPayout } from './poll-task';
import type { TransferAction } from './transfer-action';

/** Purpose of the service's transactions that complete transfers. */
const PURPOSE = 'completion';

/**
 * Result for the completing call. `unaffordable`: the receiver has to send it. `failed`: it was not sent; the next poll tries
 * again where the service may send it.
 */
type SendResult = 'sent' | 'unaffordable' | 'failed';

/**
 * Sends the completing call of a transfer with the service's wallet where possible; otherwise the call is shown to the
 * customer. The service pays for gas only: a call with a value is the customer's to send.
 */
export async function completeDelivery(deps: DeliveryDeps, report: ProviderReport): Promise<DeliveryOutcome> {
  const { bridgeTransfer, source, signal } = report;
  const call = await source.completion?.(bridgeTransfer, signal);
  const sending = call === undefined ? 'sent' : await send(deps, report, call);
  if (sending === 'sent') return { kind: 'wait', substatus: 'WAITING_DESTINATION', completion: undefined };
  const leftToReceiver = sending === 'unaffordable';
  return { kind: 'wait', substatus: 'DESTINATION_MINT_REQUIRED', completion: call, leftToReceiver };
}

/** Expected for small transfers. An exhausted budget is logged where it is checked, once for all transfers. */
const UNAFFORDABLE: ReadonlySet<string> = new Set(['unaffordable', 'exhausted']);

async function send(deps: DeliveryDeps, { transfer, signal }: ProviderReport, call: UnsignedCall): Promise<SendResult> {
  const { serviceWallet, rpc, log } = deps;
  const { actionId, customerId, status } = transfer;
  if (serviceWallet === undefined || !(status === 'PENDING' || isExpiredPayout(transfer))) return 'failed';
  if (call.value !== 0n || !rpc.serves(call.chainId)) return 'failed';
  const maxGasMicroUsd = await maxGasCost(deps, transfer);
  if (maxGasMicroUsd === undefined) return 'unaffordable';
  const sending = await serviceWallet.send({ customerId, actionId, purpose: PURPOSE, call, maxGasMicroUsd, signal });
  if (typeof sending === 'object') return 'sent';
  if (UNAFFORDABLE.has(sending)) return 'unaffordable';
  // A missing price is logged once for all transfers of the chain.
  if (sending === 'unpriced') return 'failed';
  log.warn({ actionId, chainId: call.chainId, sending }, 'the service could not complete a transfer');
  return 'failed';
}

/** For the tokens of an expired payout: the ramp, which can return them only after they arrive, completes no transfer. */
const WHOLE_VALUE = { minUsd: toMicroUsd(0n), maxShare: WHOLE_SHARE };

/**
 * The maximum cost of the gas for a transfer, rounded down. Gas costs the same for any amount: `undefined` for transfers
 * below the minimum or of unknown value, which the receiver completes.
 */
async function maxGasCost(
  { database, minCompletionUsd, maxCompletionCostShare }: DeliveryDeps,
  transfer: TransferAction,
): Promise<MicroUsd | undefined> {
  const action = await database.action.findUnique({ where: { id: transfer.actionId }, select: { amountInUsd: true } });
  const value = usdOfColumn(action?.amountInUsd);
  const { minUsd, maxShare } = isExpiredPayout(transfer)
    ? WHOLE_VALUE
    : { minUsd: minCompletionUsd, maxShare: maxCompletionCostShare };
  return value === undefined || value < minUsd ? undefined : toMicroUsd(partOf(value, maxShare));
}
