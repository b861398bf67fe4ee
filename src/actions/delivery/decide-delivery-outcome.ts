import type { DeliveryState } from '../../venues/delivery-source';
import type { Substatus } from '../state/substatus';
import { completeDelivery } from './complete-delivery';
import type { DeliveryDeps } from './delivery-deps';
import type { DeliveryOutcome, ObservedDeposit, ProviderReport } from './outcome';
import type { ClaimedTransactionRef } from './onchain-check';
import { verifyEvmDelivery, verifyEvmRefund } from './verify-on-evm';
import { verifySolanaDelivery, verifySolanaRefund } from './verify-on-solana';
import { readRefundedAmount } from './refunded-amount';
import type { TransferAction } from './transfer-action';

const WAITING_SUBSTATUS = {
  DEPOSIT: undefined,
  CONFIRMATIONS: 'WAITING_CONFIRMATIONS',
  ATTESTATION: 'WAITING_ATTESTATION',
  DESTINATION: 'WAITING_DESTINATION',
  PAYOUT: 'PAYOUT_PROCESSING',
} as const satisfies Record<string, Substatus | undefined>;

const waiting = (substatus: Substatus | undefined): DeliveryOutcome => ({
  kind: 'wait',
  substatus,
  completion: undefined,
});

/**
 * Decides the outcome of a provider's report. Whatever a chain can confirm is verified there: a transaction that the
 * provider names must have succeeded and moved the reported tokens.
 *
 * @throws PROVIDER_UNAVAILABLE when a chain does not respond.
 */
export function decideDeliveryOutcome(
  deps: DeliveryDeps,
  report: ProviderReport,
): DeliveryOutcome | Promise<DeliveryOutcome> {
  const { state, transfer, bridgeTransfer } = report;
  switch (state.status) {
    case 'inFlight':
      if (state.waitingFor === 'COMPLETION') return completeDelivery(deps, report);
      return waiting(WAITING_SUBSTATUS[state.waitingFor]);
    case 'delivered':
      return decideDelivery(deps, report, state);
    case 'refunding':
      return waiting('REFUND_QUEUED');
    case 'refunded':
      return decideRefund(deps, report, state);
    case 'failed':
      // While the origin is not final, its own chain may have a better reason: the transaction may have reverted.
      if (transfer.origin.status === 'SUBMITTED' && bridgeTransfer.deposit === undefined) return waiting(undefined);
      return { kind: 'failed', reason: state.reason };
  }
}

type StateOf<Status extends DeliveryState['status']> = Extract<DeliveryState, { readonly status: Status }>;

/** False for chains on which the provider's report is all there is. */
const canReadChain = ({ rpc, solana }: DeliveryDeps, chainId: number): boolean =>
  rpc.serves(chainId) || solana.serves(chainId);

async function decideDelivery(
  deps: DeliveryDeps,
  { transfer }: ProviderReport,
  state: StateOf<'delivered'>,
): Promise<DeliveryOutcome> {
  const { txHash, amount, partial } = state;
  const chainId = transfer.chainIdOut;
  if (!transfer.endsAction && (txHash === undefined || !canReadChain(deps, chainId))) {
    // Another step spends what has arrived: its amount is what the chain shows, never what the provider says.
    deps.log.warn({ actionId: transfer.actionId, chainId, txHash }, 'a delivery cannot be verified on its chain');
    return waiting('WAITING_DESTINATION');
  }
  if (txHash === undefined || !canReadChain(deps, chainId)) {
    const flaw = partial ? 'Less than the bought amount, or another token, arrived' : undefined;
    return { kind: 'reportedDelivered', txHash, amount, flaw };
  }
  const claim = { chainId, txHash };
  const verifyDelivery = deps.solana.serves(chainId) ? verifySolanaDelivery : verifyEvmDelivery;
  const verification = await verifyDelivery(deps, transfer, { ...claim, partial });
  if (verification.verified) {
    const { block, amount: total, flaw } = verification;
    return { kind: 'deliveredOnChain', txHash, block, total, flaw };
  }
  logUnverified(deps, { transfer, claim, reason: verification.reason });
  return waiting('WAITING_DESTINATION');
}

async function decideRefund(
  deps: DeliveryDeps,
  { transfer }: ProviderReport,
  state: StateOf<'refunded'>,
): Promise<DeliveryOutcome> {
  const { chainId, txHash, amount, reason, token } = state;
  const reported = { chainId, token, amount };
  if (txHash === undefined || !canReadChain(deps, chainId)) {
    const refundedAmount = await readRefundedAmount(deps, { transfer, state, returned: undefined });
    const refund = { ...reported, refundedAmount, txHash, total: undefined, block: undefined };
    return { kind: 'refunded', refund, reason };
  }
  const claim = { chainId, txHash };
  const verifyRefund = deps.solana.serves(chainId) ? verifySolanaRefund : verifyEvmRefund;
  const verification = await verifyRefund(deps, transfer, { ...claim, token });
  if (!verification.verified) {
    logUnverified(deps, { transfer, claim, reason: verification.reason });
    return waiting('REFUND_QUEUED');
  }
  if (!verification.final) return waiting('REFUND_SENT');
  const refundedAmount = await readRefundedAmount(deps, { transfer, state, returned: verification.returned });
  const total = token === undefined ? verification.amount : undefined;
  return {
    kind: 'refunded',
    refund: { ...reported, txHash, refundedAmount, total, block: verification.block },
    reason,
  };
}

function logUnverified(
  { log }: DeliveryDeps,
  {
    transfer,
    claim,
    reason,
  }: { readonly transfer: TransferAction; readonly claim: ClaimedTransactionRef; readonly reason: string },
): void {
  log.warn({ actionId: transfer.actionId, ...claim, reason }, 'the chain does not confirm a transaction of a provider');
}

/** The deposit that a report implies; `undefined` while there is none, or after the provider rejected it. */
export function observedDeposit(state: DeliveryState): ObservedDeposit | undefined {
  const { status, originTxHash: txHash } = state;
  if (status === 'failed') return undefined;
  if (status !== 'inFlight') return { txHash, final: true };
  const { waitingFor } = state;
  if (waitingFor === 'DEPOSIT' && txHash === undefined) return undefined;
  return { txHash, final: waitingFor !== 'DEPOSIT' && waitingFor !== 'CONFIRMATIONS' };
}
