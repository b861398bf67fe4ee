import { type Actor, recordAudit } from '../../auth/audit-log';
import type { CustomerId } from '../../auth/principal';
import { validationError } from '../../errors/validation';
import type { Database, Transaction } from '../../persistence/database';
import { lockCustomer } from '../../auth/lock-customer';

/** What a customer has switched on. */
export interface CustomerFeatures {
  /** True when users of the customer may choose the secondary ramp. */
  readonly secondaryRamp: boolean;
  /** True when the operator pays fees for the customer on request. */
  readonly feeSponsorshipGranted: boolean;
  /** True while the customer does without sponsored fees. */
  readonly feeSponsorshipPaused: boolean;
}

export interface FeatureChanges {
  readonly secondaryRamp?: boolean | null | undefined;
  readonly feeSponsorshipPaused?: boolean | null | undefined;
}

type FeatureDeps = { readonly database: Database };

/** What a customer has switched on. */
export const readFeatures = ({ database }: FeatureDeps, customerId: CustomerId): Promise<CustomerFeatures> =>
  featuresIn(database, customerId);

async function featuresIn(
  { customer }: Pick<Transaction, 'customer'>,
  customerId: CustomerId,
): Promise<CustomerFeatures> {
  const select = { secondaryRamp: true, feeSponsorship: true, sponsorshipPaused: true } as const;
  const row = await customer.findUniqueOrThrow({ where: { id: customerId }, select });
  const { secondaryRamp, feeSponsorship: feeSponsorshipGranted, sponsorshipPaused: feeSponsorshipPaused } = row;
  return { secondaryRamp, feeSponsorshipGranted, feeSponsorshipPaused };
}

/**
 * Opts in to the secondary ramp or out of it, and pauses sponsored fees or goes on with them. Only the operator grants
 * sponsored fees.
 *
 * @throws VALIDATION_ERROR when nothing is given
 */
export async function changeFeatures(
  { database }: FeatureDeps,
  actor: Actor,
  { secondaryRamp, feeSponsorshipPaused }: FeatureChanges,
): Promise<CustomerFeatures> {
  const { customerId } = actor;
  const detail = {
    ...(typeof secondaryRamp === 'boolean' ? { secondaryRamp } : {}),
    ...(typeof feeSponsorshipPaused === 'boolean' ? { feeSponsorshipPaused } : {}),
  };
  if (Object.keys(detail).length === 0)
    throw validationError([{ path: 'secondaryRamp', message: 'or feeSponsorshipPaused is required' }]);
  return database.$transaction(async (tx) => {
    await lockCustomer(tx, customerId);
    const former = await featuresIn(tx, customerId);
    const isSame = (feature: keyof FeatureChanges): boolean => (detail[feature] ?? former[feature]) === former[feature];
    if (isSame('secondaryRamp') && isSame('feeSponsorshipPaused')) return former;
    await tx.customer.updateMany({
      where: { id: customerId },
      data: {
        ...(typeof secondaryRamp === 'boolean' ? { secondaryRamp } : {}),
        ...(typeof feeSponsorshipPaused === 'boolean' ? { sponsorshipPaused: feeSponsorshipPaused } : {}),
      },
    });
    await recordAudit(tx, actor, {
      operation: 'setCustomerFeatures',
      targetType: 'customer',
      targetId: customerId,
      detail,
    });
    return featuresIn(tx, customerId);
  });
}
