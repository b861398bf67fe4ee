import type { DeliveryState } from '../../venues/delivery-source';
import type { Substatus } from '../state/substatus';
import { cameBackOf } from './refunded-amount';
import { completeDelivery } from './complete-delivery';
import type { DeliveryDeps } from './delivery-deps';
import { proveSolanaDelivery, proveSolanaRefund } from './prove-on-solana';
import { type Claim, proveDelivery, proveRefund } from './prove-transaction';
import type { Report } from './report';
import type { Transfer } from './transfer-action';
import type { SeenDeposit, Verdict } from './outcome';

const WAITING = {
  DEPOSIT: undefined,
  CONFIRMATIONS: 'WAITING_CONFIRMATIONS',
  ATTESTATION: 'WAITING_ATTESTATION',
  DESTINATION: 'WAITING_DESTINATION',
  PAYOUT: 'PAYOUT_PROCESSING',
} as const satisfies Record<string, Substatus | undefined>;

const waiting = (substatus: Substatus | undefined): Verdict => ({ kind: 'wait', substatus, completion: undefined });

/**
 * What a provider's answer means. Nothing is taken on its word that a chain can tell: a transaction that it names must
 * have succeeded and have brought what it says.
 *
 * @throws PROVIDER_UNAVAILABLE when a chain could not be asked.
 */
export function judge(deps: DeliveryDeps, report: Report): Verdict | Promise<Verdict> {
  const { state, transfer, shipment } = report;
  switch (state.status) {
    case 'inFlight':
      if (state.waitingFor === 'COMPLETION') return completeDelivery(deps, report);
      return waiting(WAITING[state.waitingFor]);
    case 'delivered':
      return judgeDelivery(deps, report, state);
    case 'refunding':
      return waiting('REFUND_QUEUED');
    case 'refunded':
      return judgeRefund(deps, report, state);
    case 'failed':
      // Where the origin is not final, its own chain may know better why: it may have reverted.
      if (transfer.origin.status === 'SUBMITTED' && shipment.deposit === undefined) return waiting(undefined);
      return { kind: 'failed', reason: state.reason };
  }
}

type StateOf<Status extends DeliveryState['status']> = Extract<DeliveryState, { readonly status: Status }>;

/** Where nobody here reads the chain, the provider's word counts. */
const isRead = ({ rpc, solana }: DeliveryDeps, chainId: number): boolean =>
  rpc.serves(chainId) || solana.serves(chainId);

async function judgeDelivery(deps: DeliveryDeps, { transfer }: Report, state: StateOf<'delivered'>): Promise<Verdict> {
  const { txHash, amount, partial } = state;
  const chainId = transfer.chainIdOut;
  if (txHash === undefined || !isRead(deps, chainId)) {
    const flaw = partial ? 'Less or something else arrived than was bought' : undefined;
    return { kind: 'delivered', txHash, amount, flaw };
  }
  const claim = { chainId, txHash };
  const prove = deps.solana.serves(chainId) ? proveSolanaDelivery : proveDelivery;
  const proof = await prove(deps, transfer, { ...claim, partial });
  if (proof.proven) {
    const { block, amount: total, flaw } = proof;
    return { kind: 'arrived', txHash, block, total, flaw };
  }
  doubt(deps, { transfer, claim, reason: proof.reason });
  return waiting('WAITING_DESTINATION');
}

async function judgeRefund(deps: DeliveryDeps, { transfer }: Report, state: StateOf<'refunded'>): Promise<Verdict> {
  const { chainId, txHash, amount, reason, token } = state;
  const told = { chainId, token, amount };
  if (txHash === undefined || !isRead(deps, chainId)) {
    const cameBack = await cameBackOf(deps, { transfer, state, seen: undefined });
    return { kind: 'refunded', refund: { ...told, cameBack, txHash, total: undefined, block: undefined }, reason };
  }
  const claim = { chainId, txHash };
  const prove = deps.solana.serves(chainId) ? proveSolanaRefund : proveRefund;
  const proof = await prove(deps, transfer, { ...claim, token });
  if (!proof.proven) {
    doubt(deps, { transfer, claim, reason: proof.reason });
    return waiting('REFUND_QUEUED');
  }
  if (!proof.final) return waiting('REFUND_SENT');
  const cameBack = await cameBackOf(deps, { transfer, state, seen: proof.seen });
  const total = token === undefined ? proof.amount : undefined;
  return { kind: 'refunded', refund: { ...told, txHash, cameBack, total, block: proof.block }, reason };
}

interface Doubt {
  readonly transfer: Transfer;
  readonly claim: Claim;
  readonly reason: string;
}

function doubt({ log }: DeliveryDeps, { transfer, claim, reason }: Doubt): void {
  log.warn(
    { actionId: transfer.actionId, ...claim, reason },
    'a provider names a transaction that its chain does not confirm',
  );
}

/** What an answer says of the deposit; `undefined` while there is none, or the provider refused it. */
export function depositOf(state: DeliveryState): SeenDeposit | undefined {
  const { status, originTxHash: txHash } = state;
  if (status === 'failed') return undefined;
  if (status !== 'inFlight') return { txHash, final: true };
  const { waitingFor } = state;
  if (waitingFor === 'DEPOSIT' && txHash === undefined) return undefined;
  return { txHash, final: waitingFor !== 'DEPOSIT' && waitingFor !== 'CONFIRMATIONS' };
}
