import { invariant } from '../../errors/invariant-error';
import { serviceError } from '../../errors/service-error';
import type { BuildParameters, Execution } from '../quote-provider';
import type { ComposedVenueDeps } from './composed-deps';
import { legToAnchor, parsePlan } from './leg';
import { rampRouteOf } from './ramp-route';
import { ticketOf } from './ramp-ticket';
import { assertFallbackReachable } from './refund-address';

/** Opens the ticket, and builds the call that brings the anchor to where the ramp takes it. */
export async function buildOffRamp(
  deps: ComposedVenueDeps,
  parameters: BuildParameters,
  signal: AbortSignal,
): Promise<Execution> {
  const { request, quote: offer, sender, deadline, action } = parameters;
  const { anchor, amount, leg } = parsePlan(offer.execution, deps.chains);
  const [route, { fiat }] = [rampRouteOf(request), request];
  invariant(route && fiat?.account && action, 'a ticket is opened for a known person');
  const { account, thirdParty, payout, rail } = fiat;
  await assertFallbackReachable(deps, { request, anchor, address: request.refundAddress ?? sender });
  const ticket = await ticketOf(
    deps,
    {
      customerId: action.customerId,
      question: { route: { ...route, ...anchor, rail }, side: 'in', amount, account, thirdParty },
      least: offer.minAmountOut,
      ticket: {
        account,
        externalId: action.id,
        payout,
        walletAddress: sender,
        refundAddress: request.refundAddress,
      },
    },
    signal,
  );
  invariant(ticket.kind === 'payOut', 'an off-ramp pays out');
  const venue = deps.venues.find(({ id }) => id === leg.provider);
  if (venue === undefined) throw serviceError('QUOTE_EXPIRED');
  const recipient = ticket.depositAddress;
  const swap = { ...legToAnchor(request, anchor), originAddress: sender, destinationAddress: recipient };
  return venue.build({ request: swap, quote: leg, sender, recipient, deadline }, signal);
}
