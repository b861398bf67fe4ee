import { invariant } from '../../errors/invariant-error';
import { lessShare } from '../../money/slippage';
import type { BuildParameters, Execution } from '../quote-provider';
import type { ComposedVenueDeps } from './composed-deps';
import { legFromAnchor, parsePlan } from './leg';
import { rampRouteOf } from './ramp-route';
import { ticketOf } from './ramp-ticket';
import { assertFallbackReachable } from './refund-address';

/** Opens the ticket of a payment whose tokens the ramp sends to the wallet of the service. */
export async function buildOnRamp(
  deps: ComposedVenueDeps,
  parameters: BuildParameters,
  signal: AbortSignal,
): Promise<Execution> {
  const { request, quote: offer, recipient, action } = parameters;
  const { anchor, amount } = parsePlan(offer.execution, deps.chains);
  const [route, { fiat }] = [rampRouteOf(request), request];
  invariant(route && fiat?.account && action && deps.serviceWallet, 'a ticket is opened for a known person');
  const { account, thirdParty, rail } = fiat;
  await assertFallbackReachable(deps, { request, anchor, address: recipient });
  const ticket = await ticketOf(
    deps,
    {
      customerId: action.customerId,
      question: { route: { ...route, ...anchor, rail }, side: 'in', amount: offer.amountIn, account, thirdParty },
      // What is lost here may not be lost again in the swap.
      least: lessShare(amount, legFromAnchor(request, anchor, amount).slippage),
      ticket: { account, externalId: action.id, payout: undefined, walletAddress: deps.serviceWallet.address },
    },
    signal,
  );
  invariant(ticket.kind === 'payIn', 'an on-ramp is paid');
  const { ticketId: reference, instructions } = ticket;
  return { kind: 'payment', chainId: request.origin.chainId, rail, reference, instructions };
}
