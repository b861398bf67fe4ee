import type { CustomerId } from '../../auth/principal';
import { serviceError } from '../../errors/service-error';
import type { QuoteRequest } from '../../venues/quote-provider';

type RouteChains = Pick<QuoteRequest, 'origin' | 'destination'>;

/** Decides which customers may use fee sponsorship. */
export interface Sponsorship {
  allowed(customerId: CustomerId): Promise<boolean>;
}

export interface SponsoredRoute {
  readonly customerId: CustomerId;
  readonly route: RouteChains;
}

/** Why a route has no fee sponsorship; `undefined` for transfers to another chain, from a chain with a paymaster. */
export function sponsorshipProblem({ origin, destination }: RouteChains): string | undefined {
  if (origin.chainId === destination.chainId) {
    return `this route has none, because it stays on ${origin.slug}: only transfers to another chain are sponsored`;
  }
  return origin.paymaster === undefined ? `this route has none, because ${origin.slug} has no paymaster` : undefined;
}

/**
 * Rejects sponsorship of a route that has none, and of a customer without the `feeSponsorship` feature, instead of quoting
 * it unsponsored.
 *
 * @throws FEE_SPONSORSHIP_NOT_ALLOWED
 */
export async function assertSponsored(
  { sponsorship }: { readonly sponsorship: Sponsorship },
  { customerId, route }: SponsoredRoute,
): Promise<void> {
  const problem = sponsorshipProblem(route);
  if (problem !== undefined) throw serviceError('FEE_SPONSORSHIP_NOT_ALLOWED', { reason: problem });
  if (await sponsorship.allowed(customerId)) return;
  throw serviceError('FEE_SPONSORSHIP_NOT_ALLOWED', { reason: 'the customer lacks the feeSponsorship feature' });
}
