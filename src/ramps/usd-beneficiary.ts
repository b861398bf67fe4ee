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
  readonly country: string;
  readonly description: string | undefined;
  readonly paymentMethod: UsdPaymentMethod;
}
