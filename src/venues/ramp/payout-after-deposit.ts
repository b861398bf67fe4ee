import type { TicketStore } from '../../ramps/ticket-store';
import type { Rpc } from '../../rpc/rpc';
import type { SolanaRpc } from '../../rpc/solana/solana-rpc';
import type { DeliverySource, BridgeTransfer } from '../delivery-source';
import { readReceivedAmount, readReceivedAmountOnSolana } from './received-amount';

export interface DepositCheckDeps {
  readonly tickets: Pick<TicketStore, 'find'>;
  readonly rpc: Pick<Rpc, 'request'>;
  readonly solana: Pick<SolanaRpc, 'transactions'>;
}

/**
 * Polls payouts only after the action's own transaction has deposited the token at the ramp. A ramp that pays out of a
 * shared account balance would otherwise pay with the deposit of another action, for example when this transaction
 * reverts.
 */
export const payoutAfterDeposit = (deps: DepositCheckDeps, source: DeliverySource): DeliverySource => ({
  ...source,
  follow: async (transfer, signal) =>
    (await isDeposited(deps, transfer, signal))
      ? source.follow(transfer, signal)
      : { status: 'inFlight', waitingFor: 'CONFIRMATIONS' },
});

async function isDeposited(
  { tickets, rpc, solana }: DepositCheckDeps,
  transfer: BridgeTransfer,
  signal: AbortSignal,
): Promise<boolean> {
  const { actionId, originTxHash: txHash, request } = transfer;
  if (request.origin.kind === 'fiat') return true;
  const stored = await tickets.find(actionId);
  // Without a payout ticket the delivery source reports the state.
  if (stored?.ticket?.kind !== 'payOut') return true;
  if (txHash === undefined) return false;
  const token = { chainId: request.origin.chainId, token: request.tokenIn.address };
  const query = { ...token, txHash, owner: stored.ticket.depositAddress };
  const isOnSolana = request.origin.kind === 'solana';
  const received = await (isOnSolana
    ? readReceivedAmountOnSolana(solana, query, signal)
    : readReceivedAmount(rpc, query));
  return received !== undefined && received >= stored.request.quote.amountIn;
}
