import { z } from 'zod';
import type { Config } from '../config/config';
import { UPLOAD_MEGABYTES } from '../config/upload-bounds';
import { limitError } from '../errors/limit-error';
import type { ServiceError } from '../errors/service-error';
import type { CustomerId } from './principal';

interface LimitDefinition {
  /** Setting with the limit of the deployment. */
  readonly setting: keyof Config;
  /** What reaches or exceeds the limit, in words, and what to do next. */
  readonly bound: (maximum: number) => string;
  /** Seconds after which a retry may succeed. */
  readonly retryAfter: number;
}

/** Limits per customer, in addition to the request rate. The deployment sets them, and a customer may have its own. */
export const CUSTOMER_LIMITS = {
  openActions: {
    setting: 'MAX_OPEN_ACTIONS',
    bound: (maximum) => `this customer has ${maximum} open actions, the maximum`,
    retryAfter: 60,
  },
  openDrafts: {
    setting: 'MAX_OPEN_DRAFTS',
    bound: (maximum) =>
      `this customer has ${maximum} executable quotes that are neither executed nor expired, the maximum`,
    retryAfter: 60,
  },
  openDeliveries: {
    setting: 'MAX_OPEN_DELIVERIES',
    bound: (maximum) => `this customer has ${maximum} transfers between chains or at ramps in progress, the maximum`,
    retryAfter: 60,
  },
  registeredWallets: {
    setting: 'MAX_REGISTERED_WALLETS',
    bound: (maximum) =>
      `this customer has ${maximum} registered wallets, the maximum: this wallet is not one of them. Raise the limit`,
    retryAfter: 3600,
  },
  watchedWallets: {
    setting: 'MAX_WATCHED_WALLETS',
    bound: (maximum) =>
      `this customer watches ${maximum} wallets, the maximum: the movements of this wallet are not recorded. Raise the limit`,
    retryAfter: 3600,
  },
  actionWatches: {
    setting: 'MAX_ACTION_WATCHES',
    bound: (maximum) =>
      `this customer has ${maximum} open subscriptions to actions, or to wallets, the maximum. Close one`,
    retryAfter: 5,
  },
  quoteStreams: {
    setting: 'MAX_QUOTE_STREAMS',
    bound: (maximum) => `this customer already has ${maximum} open quote streams, the maximum. Close one`,
    retryAfter: 5,
  },
  rateWatches: {
    setting: 'MAX_RATE_WATCHES',
    bound: (maximum) => `this customer has ${maximum} open subscriptions to rates, the maximum. Close one`,
    retryAfter: 5,
  },
  uploadMegabytes: {
    setting: 'MAX_UPLOAD_MEGABYTES',
    bound: (maximum) =>
      `this customer already uploads up to ${maximum} MB, the maximum at a time. Send one document after the other`,
    retryAfter: 5,
  },
  sponsoredGasUsd: {
    setting: 'MAX_SPONSORED_GAS_USD_PER_DAY',
    bound: (maximum) =>
      `this operation exceeds the ${maximum} USD of sponsored gas in 24 hours, the maximum of this customer. Request it without feeSponsorship, or later`,
    retryAfter: 600,
  },
  /** Above it no transfer is refused: the receiver completes it. Orders of tokenized stocks are. */
  completionGasUsd: {
    setting: 'MAX_COMPLETION_GAS_USD_PER_DAY',
    bound: (maximum) =>
      `the service has paid ${maximum} USD of gas for completions and orders of this customer in 24 hours, the maximum`,
    retryAfter: 600,
  },
  /** Above it no request is refused: the first user operation deploys the account. */
  deploymentGasUsd: { setting: 'MAX_DEPLOYMENT_GAS_USD_PER_DAY' },
} as const satisfies Record<string, LimitDefinition | Pick<LimitDefinition, 'setting'>>;

export type CustomerLimit = keyof typeof CUSTOMER_LIMITS;
export type CustomerLimits = Readonly<Record<CustomerLimit, number>>;
export type LimitSettings = Pick<Config, (typeof CUSTOMER_LIMITS)[CustomerLimit]['setting']>;

export const limitSchema = z.int().min(1).max(1_000_000_000);

/** Own limits of a customer, as they are stored. */
export const ownLimitsSchema = z.object({
  openActions: limitSchema.optional(),
  openDrafts: limitSchema.optional(),
  openDeliveries: limitSchema.optional(),
  registeredWallets: limitSchema.optional(),
  watchedWallets: limitSchema.optional(),
  actionWatches: limitSchema.optional(),
  quoteStreams: limitSchema.optional(),
  rateWatches: limitSchema.optional(),
  uploadMegabytes: limitSchema.optional(),
  sponsoredGasUsd: limitSchema.optional(),
  completionGasUsd: limitSchema.optional(),
  deploymentGasUsd: limitSchema.optional(),
});

/** Own limits of a customer, as an operator may set them. */
export const givenLimitsSchema = ownLimitsSchema.extend({
  uploadMegabytes: z.int().min(UPLOAD_MEGABYTES.min).max(UPLOAD_MEGABYTES.max).optional(),
});
export type OwnLimits = z.infer<typeof ownLimitsSchema>;

/** Limits that a customer lowers for itself, as they are stored. */
export const chosenLimitsSchema = ownLimitsSchema.extend({
  requestsPerMinute: limitSchema.optional(),
  requestsPerHour: limitSchema.optional(),
});
export type ChosenLimits = z.infer<typeof chosenLimitsSchema>;

/** Limits that a customer lowers for itself, as its users may set them. */
export const givenChoicesSchema = givenLimitsSchema.extend({
  requestsPerMinute: limitSchema.optional(),
  requestsPerHour: limitSchema.optional(),
});

/** The limit that applies: the granted one, or a lower one that the customer chose. */
export const effectiveLimit = (granted: number, chosen: number | undefined): number =>
  chosen === undefined ? granted : Math.min(granted, chosen);

/** The limits of the deployment, for customers without their own. */
export const deploymentLimits = (settings: LimitSettings): CustomerLimits => ({
  openActions: settings.MAX_OPEN_ACTIONS,
  openDrafts: settings.MAX_OPEN_DRAFTS,
  openDeliveries: settings.MAX_OPEN_DELIVERIES,
  registeredWallets: settings.MAX_REGISTERED_WALLETS,
  watchedWallets: settings.MAX_WATCHED_WALLETS,
  actionWatches: settings.MAX_ACTION_WATCHES,
  quoteStreams: settings.MAX_QUOTE_STREAMS,
  rateWatches: settings.MAX_RATE_WATCHES,
  uploadMegabytes: settings.MAX_UPLOAD_MEGABYTES,
  sponsoredGasUsd: settings.MAX_SPONSORED_GAS_USD_PER_DAY,
  completionGasUsd: settings.MAX_COMPLETION_GAS_USD_PER_DAY,
  deploymentGasUsd: settings.MAX_DEPLOYMENT_GAS_USD_PER_DAY,
});

/** The error for a request that exceeds a limit of its customer. */
export function customerLimitError(limit: Exclude<CustomerLimit, 'deploymentGasUsd'>, max: number): ServiceError {
  const { bound, retryAfter } = CUSTOMER_LIMITS[limit];
  return limitError({ limit, maximum: max, bound: bound(max), retryAfter });
}

/** One limit of a customer; may return a value a few seconds old. */
export type FindCustomerLimit = (customerId: CustomerId, limit: CustomerLimit) => Promise<number>;

/** Limits of a customer in place of those of the deployment, as they are stored. */
export interface StoredLimits {
  readonly limits: OwnLimits;
  readonly chosenLimits: ChosenLimits;
}

/** `findStored`: the limits of a customer, as they are stored. */
export const createLimitFinder =
  (limits: CustomerLimits, findStored: (id: CustomerId) => Promise<StoredLimits | undefined>): FindCustomerLimit =>
  async (customerId, limit) => {
    const stored = await findStored(customerId);
    return effectiveLimit(stored?.limits[limit] ?? limits[limit], stored?.chosenLimits[limit]);
  };
