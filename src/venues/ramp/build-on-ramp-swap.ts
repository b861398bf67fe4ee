import { invariant } from '../../errors/invariant-error';
import { subtractShare } from '../../money/slippage';
import type { BuildParameters, ProviderExecution } from '../quote-provider';
import { type RampSwapDeps, legFromRamp, parsePlan } from './swap-leg';
import { rampRouteOf } from './ramp-route';
import { openTicketOnce } from './ramp-ticket';
import { assertFallbackReachable } from './refund-address';

/** Opens the ticket of a payment whose tokens the ramp sends to the service wallet. */
export async function buildOnRamp(
  deps: RampSwapDeps,
  parameters: BuildParameters,
  signal: AbortSignal,
): Promise<ProviderExecution> {
  const { request, quote: offer, recipient, action } = parameters;
  const { rampToken, amount } = parsePlan(offer.execution, deps.chains);
  const [route, { fiat }] = [rampRouteOf(request), request];
  invariant(route && fiat?.account && action && deps.serviceWallet, 'a ticket requires a verified person');
  const { account, thirdParty, rail } = fiat;
  await assertFallbackReachable(deps, { request, rampToken, address: recipient });
  const ticket = await openTicketOnce(
    deps,
    {
      customerId: action.customerId,
      quoteRequest: {
        route: { ...route, ...rampToken, rail },
        side: 'in',
        amount: offer.amountIn,
        account,
        thirdParty,
      },
      // A worse ramp rate may use only the half of the slippage that the swap does not need.
      minAmountOut: subtractShare(amount, legFromRamp(request, rampToken, amount).slippage),
      ticket: { account, externalId: action.id, payout: undefined, walletAddress: deps.serviceWallet.address },
    },
    signal,
  );
  invariant(ticket.kind === 'payIn', 'an on-ramp is paid');
  const { ticketId: reference, instructions } = ticket;
  return { kind: 'payment', chainId: request.origin.chainId, rail, reference, instructions };
}
