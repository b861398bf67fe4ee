declare const customerId: unique symbol;

/** Id of a customer, the tenant: part of every query for a tenant's data. */
export type CustomerId = string & { readonly [customerId]: true };

export const ROLES = ['admin', 'owner', 'developer', 'viewer'] as const;
export type Role = (typeof ROLES)[number];

/** The authenticated sender of a request. */
export type Principal =
  | { readonly kind: 'apiKey'; readonly customerId: CustomerId; readonly keyId: string }
  | { readonly kind: 'bearer'; readonly customerId: CustomerId; readonly subject: string; readonly role: Role };
