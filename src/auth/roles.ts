import { type Role, ROLES } from './principal';

const WRITERS = ['admin', 'owner', 'developer'] as const;
const MANAGERS = ['admin', 'owner'] as const;

/** What users of the dashboard may do, with the roles that may. `docs/roles.md` shows this table, and a test compares them. */
export const PERMISSIONS = {
  /** Read the data of the customer. */
  read: ROLES,
  /** Report transactions, request refunds, register wallets and pin tokens. */
  write: WRITERS,
  /** Create, rotate and revoke API keys. */
  'apiKeys:write': WRITERS,
  /** Set up webhook endpoints, rotate their secrets and replay deliveries. */
  'webhooks:write': WRITERS,
  /** List the users with a role of their own. */
  'members:read': MANAGERS,
  /** Give and take access, up to the own role. */
  'members:write': MANAGERS,
  /** Lower limits below those that the operator grants. */
  'limits:write': MANAGERS,
  /** Opt in to the secondary ramp, and pause sponsored fees. */
  'features:write': MANAGERS,
  /** Set the fees of strategies. */
  'fees:write': WRITERS,
  /** Read who changed what. */
  'audit:read': MANAGERS,
} as const satisfies Readonly<Record<string, readonly Role[]>>;

export type Permission = keyof typeof PERMISSIONS;

export const PERMISSION_NAMES = Object.keys(PERMISSIONS) as Permission[];

/** True when users with the role have the permission. */
export function hasPermission(role: Role, permission: Permission): boolean {
  const roles: readonly Role[] = PERMISSIONS[permission];
  return roles.includes(role);
}

/** The permissions of a role, in the order of the table. */
export const permissionsOf = (role: Role): readonly Permission[] =>
  PERMISSION_NAMES.filter((permission) => hasPermission(role, permission));

/** True when the role is at least as strong as the other one: `admin`, then `owner`, `developer`, `viewer`. */
export const isAtLeast = (role: Role, other: Role): boolean => ROLES.indexOf(role) <= ROLES.indexOf(other);
