import type { TicketStore } from '../../ramps/ticket-store';
import type { Rpc } from '../../rpc/rpc';
import type { SolanaRpc } from '../../rpc/solana/solana-rpc';
import type { DeliverySource, Shipment } from '../delivery-source';
import { arrivedAt } from './arrived';
import { arrivedOnSolana } from './arrived-on-solana';

export interface ArrivalDeps {
  readonly tickets: Pick<TicketStore, 'find'>;
  readonly rpc: Pick<Rpc, 'ask'>;
  readonly solana: Pick<SolanaRpc, 'transactions'>;
}

/**
 * Has payouts looked at only once the action's own transaction has brought the token to the ramp. A ramp that pays out of
 * the person's account, where the token of all their actions lies together, would else pay one with what another sent:
 * of an action whose transaction reverts, for example.
 */
export const afterArrival = (deps: ArrivalDeps, source: DeliverySource): DeliverySource => ({
  ...source,
  follow: async (shipment, signal) =>
    (await hasArrived(deps, shipment, signal))
      ? source.follow(shipment, signal)
      : { status: 'inFlight', waitingFor: 'CONFIRMATIONS' },
});

async function hasArrived(
  { tickets, rpc, solana }: ArrivalDeps,
  shipment: Shipment,
  signal: AbortSignal,
): Promise<boolean> {
  const { actionId, originTxHash: txHash, request } = shipment;
  if (request.origin.kind === 'fiat') return true;
  const stored = await tickets.find(actionId);
  // Without a ticket there is nothing that could be paid: who follows it knows what to say.
  if (stored?.ticket?.kind !== 'payOut') return true;
  if (txHash === undefined) return false;
  const place = { chainId: request.origin.chainId, token: request.tokenIn.address };
  const question = { ...place, txHash, owner: stored.ticket.depositAddress };
  const isOnSolana = request.origin.kind === 'solana';
  const arrived = await (isOnSolana ? arrivedOnSolana(solana, question, signal) : arrivedAt(rpc, question));
  return arrived !== undefined && arrived >= stored.request.quote.amountIn;
}
