export const USD_PAYMENT_METHODS = ['ACH', 'WIRE'] as const;
export type UsdPaymentMethod = (typeof USD_PAYMENT_METHODS)[number];

/** Bank account in the United States for the payout of a USD off-ramp. */
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
  /** Country of the beneficiary's address: alpha-3. */
  readonly country: string;
  readonly description: string | undefined;
  readonly paymentMethod: UsdPaymentMethod;
}

/** Maximum length of the text for the beneficiary at the ramps. */
export const MAX_DESCRIPTION = 255;

const UNITED_STATES = /^(?:USA?|UNITED STATES(?: OF AMERICA)?)$/;

/** Parses an alpha-3 code in any case, and for the United States also `US` or the name. `undefined` for any other text. */
export function parseCountry(text: string): string | undefined {
  const upper = text.trim().toUpperCase();
  if (UNITED_STATES.test(upper)) return 'USA';
  return /^[A-Z]{3}$/.test(upper) ? upper : undefined;
}

export const COUNTRY_MESSAGE = 'must be an ISO 3166-1 alpha-3 country code, such as USA';
