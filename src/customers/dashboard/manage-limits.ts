import { type Actor, recordAudit } from '../../auth/audit-log';
import {
  type ChosenLimits,
  chosenLimitsSchema,
  type CustomerLimits,
  effectiveLimit,
  givenChoicesSchema,
  ownLimitsSchema,
} from '../../auth/customer-limits';
import type { CustomerId } from '../../auth/principal';
import { invariant } from '../../errors/invariant-error';
import { validationError, type ValidationIssue } from '../../errors/validation';
import type { Database, Transaction } from '../../persistence/database';
import { lockCustomer } from '../../auth/lock-customer';

export interface ManageLimitsDeps {
  readonly database: Database;
  /** Limits of the deployment, for customers without their own. */
  readonly limits: CustomerLimits;
  readonly rateLimit: { readonly perMinute: number; readonly perHour: number };
}

export type LimitName = keyof ChosenLimits;

/** The names of all limits of a customer. */
export const LIMIT_NAMES = Object.keys(chosenLimitsSchema.shape) as LimitName[];

/** A limit of a customer. */
export interface CustomerLimitView {
  readonly name: string;
  /** The limit that applies: the lower one of the following two. */
  readonly maximum: number;
  /** What the operator grants. */
  readonly granted: number;
  /** What the customer lowered it to; null where it did not. */
  readonly chosen: number | null;
}

/** All limits of a customer. */
export const readLimits = async (
  deps: ManageLimitsDeps,
  customerId: CustomerId,
): Promise<readonly CustomerLimitView[]> => limitsIn(deps, deps.database, customerId);

async function limitsIn(
  { limits, rateLimit }: ManageLimitsDeps,
  database: Pick<Transaction, 'customer'>,
  customerId: CustomerId,
): Promise<readonly CustomerLimitView[]> {
  const row = await database.customer.findUnique({
    where: { id: customerId },
    select: { rateLimitPerMinute: true, rateLimitPerHour: true, limits: true, chosenLimits: true },
  });
  invariant(row, `customer ${customerId} has a principal but no row`);
  const own = ownLimitsSchema.parse(row.limits);
  const chosenLimits = chosenLimitsSchema.parse(row.chosenLimits);
  const grantedOf = (name: LimitName): number => {
    if (name === 'requestsPerMinute') return row.rateLimitPerMinute ?? rateLimit.perMinute;
    if (name === 'requestsPerHour') return row.rateLimitPerHour ?? rateLimit.perHour;
    return own[name] ?? limits[name];
  };
  return LIMIT_NAMES.map((name) => {
    const [granted, chosen] = [grantedOf(name), chosenLimits[name]];
    return { name, granted, chosen: chosen ?? null, maximum: effectiveLimit(granted, chosen) };
  });
}

/** A limit to lower; `null` restores the granted one. */
export interface LimitChoice {
  readonly name: string;
  readonly maximum?: number | null | undefined;
}

/**
 * Lowers limits of the customer, within 5 s. Only the operator raises them above what is granted.
 *
 * @throws VALIDATION_ERROR with all problems: an unknown or repeated name, a value out of range or above the granted one
 */
export function chooseLimits(
  deps: ManageLimitsDeps,
  actor: Actor,
  choices: readonly LimitChoice[],
): Promise<readonly CustomerLimitView[]> {
  const { customerId } = actor;
  return deps.database.$transaction(async (tx) => {
    await lockCustomer(tx, customerId);
    const present = await limitsIn(deps, tx, customerId);
    const issues = choices.length === 0 ? [NOTHING_GIVEN] : choices.flatMap((...at) => problemsOf(present, at));
    if (issues.length > 0) throw validationError(issues);
    const isStored = ({ name, maximum = null }: LimitChoice): boolean =>
      present.some((limit) => limit.name === name && limit.chosen === maximum);
    if (choices.every(isStored)) return present;
    const detail = Object.fromEntries(choices.map(({ name, maximum = null }) => [name, maximum]));
    await tx.$executeRaw`
      UPDATE "Customer" SET "chosenLimits" = jsonb_strip_nulls("chosenLimits" || ${JSON.stringify(detail)}::jsonb)
       WHERE id = ${customerId}::uuid`;
    await recordAudit(tx, actor, {
      operation: 'setCustomerLimits',
      targetType: 'customer',
      targetId: customerId,
      detail,
    });
    return limitsIn(deps, tx, customerId);
  });
}

const NOTHING_GIVEN: ValidationIssue = { path: 'limits', message: 'must have at least one limit' };

function problemsOf(
  present: readonly CustomerLimitView[],
  [{ name, maximum = null }, index, all]: readonly [LimitChoice, number, readonly LimitChoice[]],
): readonly ValidationIssue[] {
  const path = `limits.${String(index)}`;
  const known = present.find((limit) => limit.name === name);
  if (known === undefined) return [{ path: `${path}.name`, message: `must be one of ${LIMIT_NAMES.join(', ')}` }];
  if (all.findIndex((choice) => choice.name === name) !== index)
    return [{ path: `${path}.name`, message: 'must not be given twice' }];
  if (maximum === null) return [];
  const parsed = givenChoicesSchema.safeParse({ [name]: maximum });
  if (!parsed.success) return parsed.error.issues.map(({ message }) => ({ path: `${path}.maximum`, message }));
  if (maximum <= known.granted) return [];
  return [{ path: `${path}.maximum`, message: `must be at most ${String(known.granted)}, which the operator grants` }];
}
