import type { CustomerId } from '../auth/principal';
import { serviceError } from '../errors/service-error';
import type { Database } from '../persistence/database';
import { type NamedRamp, type RampBrands, rampByName } from '../ramps/ramp-names';

type CustomerRows = Pick<Database, 'customer'>;

export interface RampChoice {
  readonly customerId: CustomerId;
  /** As given in the request. */
  readonly rampProvider: string | undefined;
}

/**
 * Resolves the ramp that a request names. The secondary ramp is limited to customers who were opted in.
 *
 * @throws INVALID_RAMP_PROVIDER, RAMP_PROVIDER_NOT_ELIGIBLE
 */
export async function resolveRamp(
  { database, brands }: { readonly database: CustomerRows; readonly brands: RampBrands },
  { customerId, rampProvider }: RampChoice,
): Promise<NamedRamp> {
  const named = rampByName(brands, rampProvider);
  await assertRampEnabled({ database }, { customerId, ...named });
  return named;
}

/** @throws RAMP_PROVIDER_NOT_ELIGIBLE for the secondary ramp, unless the customer was opted in */
export async function assertRampEnabled(
  { database }: { readonly database: CustomerRows },
  { customerId, ramp, name }: NamedRamp & Pick<RampChoice, 'customerId'>,
): Promise<void> {
  if (ramp === 'primary') return;
  const customer = await database.customer.findUnique({ where: { id: customerId }, select: { secondaryRamp: true } });
  if (customer?.secondaryRamp === true) return;
  const reason = 'it is not enabled for this customer';
  throw serviceError('RAMP_PROVIDER_NOT_ELIGIBLE', { provider: name, reason });
}

/** Minimum confidence of liveness checks for a customer, 0 to 100. */
export async function loadLivenessMinimum({ customer }: CustomerRows, id: CustomerId): Promise<number> {
  const { livenessMinimum } = await customer.findUniqueOrThrow({ where: { id }, select: { livenessMinimum: true } });
  return livenessMinimum;
}
