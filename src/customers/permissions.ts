import type { Role } from '../auth/principal';

/** What the bearer of an access token may do in the dashboard: look, or change things too. */
export const PERMISSIONS: Readonly<Record<Role, readonly ('read' | 'write')[]>> = {
  admin: ['read', 'write'],
  owner: ['read', 'write'],
  developer: ['read', 'write'],
  viewer: ['read'],
};
