import { invariant } from '../../errors/invariant-error';
import { serviceError } from '../../errors/service-error';
import type { BuildParameters, ProviderExecution } from '../quote-provider';
import { type RampSwapDeps, legToRamp, parsePlan } from './swap-leg';
import { rampRouteOf } from './ramp-route';
import { openTicketOnce } from './ramp-ticket';
import { assertFallbackReachable } from './refund-address';

/** Opens the ticket, and builds the call that delivers the ramp token to the deposit address. */
export async function buildOffRamp(
  deps: RampSwapDeps,
  parameters: BuildParameters,
  signal: AbortSignal,
): Promise<ProviderExecution> {
  const { request, quote: offer, sender, deadline, action } = parameters;
  const { rampToken, amount, leg } = parsePlan(offer.execution, deps.chains);
  const [route, { fiat }] = [rampRouteOf(request), request];
  invariant(route && fiat?.account && action, 'a ticket requires a verified person');
  const { account, thirdParty, payout, rail } = fiat;
  await assertFallbackReachable(deps, { request, rampToken, address: request.refundAddress ?? sender });
  const ticket = await openTicketOnce(
    deps,
    {
      customerId: action.customerId,
      quoteRequest: { route: { ...route, ...rampToken, rail }, side: 'in', amount, account, thirdParty },
      minAmountOut: offer.minAmountOut,
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
  const swap = { ...legToRamp(request, rampToken), originAddress: sender, destinationAddress: recipient };
  return venue.build({ request: swap, quote: leg, sender, recipient, deadline }, signal);
}
