export const USD_PAYMENT_METHODS = ['ACH', 'WIRE'] as const;
export type UsdPaymentMethod = (typeof USD_PAYMENT_METHODS)[number];

/** Account in the United States that a USD off-ramp pays to. */
export interface UsdBeneficiary {
  readonly alias: string;
  readonly accountNumber: string;
  readonly routingNumber: string;
  readonly bankName: string;
  readonly name: string;
  readonly street: readonly string[];
  readonly city: string;
  readonly state: string;
  readonly postalCode: string;
  /** Where the beneficiary lives: alpha-3. */
  readonly country: string;
  readonly description: string | undefined;
  readonly paymentMethod: UsdPaymentMethod;
}

/** Longest text for the beneficiary that ramps take. */
export const MAX_DESCRIPTION = 255;

const UNITED_STATES = /^(?:USA?|UNITED STATES(?: OF AMERICA)?)$/;

/** A country by its three letters, in any case; the United States also by two, or by their name. `undefined` of any other text. */
export function parseCountry(text: string): string | undefined {
  const upper = text.trim().toUpperCase();
  if (UNITED_STATES.test(upper)) return 'USA';
  return /^[A-Z]{3}$/.test(upper) ? upper : undefined;
}

export const COUNTRY_MESSAGE = 'must be an ISO 3166-1 alpha-3 country code, such as USA';
