import type { LendParameters, ProtocolCall } from '../protocols/protocol';
import { depositLoss } from '../router/router-bounds';
import { depositCall } from '../router/router-calls';
import { feeParts } from './fee-parts';
import type { OperationDeps } from './operation-deps';
import type { OperationPart } from './operation-part';
import { protocolPart } from './protocol-part';
import { findOperationRouter, routerDeadline } from './operation-router';
import { routedToleranceOf, toleranceOf } from './receipt-amount';
import { type ChargedFee, type Lending, requestsOf } from './resolved-operation';

interface PlannedDeposit {
  readonly lend: LendParameters;
  /** Base units of the receipt token that the preview promises. */
  readonly created: bigint;
  /** Unix seconds. */
  readonly blockTime: bigint;
  readonly fees: readonly ChargedFee[];
}

interface DepositParts {
  readonly parts: readonly OperationPart[];
  /** Base units of the receipt token that arrive at least. */
  readonly minimum: bigint;
  readonly isRouted: boolean;
}

/**
 * The deposit and its entry fee: one call of the router that enforces both the minimum and the fee or, on a chain without a router,
 * the call of the protocol and then the transfer of the fee, so that no fee is paid for a deposit that fails.
 *
 * @throws LENDING_SERVICE_UNAVAILABLE when the chain does not respond
 */
export async function depositParts(
  deps: OperationDeps,
  lending: Lending,
  { lend, created, blockTime, fees }: PlannedDeposit,
): Promise<DepositParts> {
  const { strategy, protocol, request } = lending;
  const router = await findOperationRouter(deps, lending);
  if (router === undefined) {
    const requested = request.action === 'request-lend' ? requestsOf(protocol) : protocol;
    const part = await depositPart(deps, lending, requested.lend(strategy, lend));
    const minimum = created - toleranceOf(created, strategy.row);
    return { parts: [part, ...feeParts(lending, fees)], minimum, isRouted: false };
  }
  const minimum = created - routedToleranceOf(created, strategy.row) - depositLoss(strategy, created, request.slippage);
  const deadline = routerDeadline(deps, blockTime);
  const call = depositCall(strategy, { lend, minReceipt: minimum > 0n ? minimum : 0n, router, fees, deadline });
  const part = await depositPart(deps, lending, call);
  return { parts: [{ ...part, isRouted: true }], minimum, isRouted: true };
}

function depositPart(deps: OperationDeps, lending: Lending, call: ProtocolCall): Promise<OperationPart> {
  const { strategy, request, actionId, signal } = lending;
  const kind = request.action === 'request-lend' ? 'REQUEST' : 'DEPOSIT';
  return protocolPart(deps.rpc, { kind, call, strategy, wallet: request.wallet, actionId, signal });
}
