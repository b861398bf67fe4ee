import { jwtVerify, type JWTPayload, type JWTVerifyGetKey } from 'jose';
import { z } from 'zod';
import { isServiceError, serviceError } from '../../errors/service-error';
import { isBinding, type MemberRecord, memberKey } from './credential-store';
import { type CustomerGate } from './customer-gate';
import { type CustomerId, type Principal, type Role, ROLES } from '../principal';

const ALGORITHMS = ['RS256', 'ES256', 'EdDSA'];
const CLOCK_TOLERANCE_SECONDS = 30;

/** Rules for access tokens. Claims are named exactly or by a dotted path (`realm_access.roles`). */
export interface AccessTokenRules {
  readonly keys: JWTVerifyGetKey;
  readonly issuer: string;
  readonly audience: string;
  readonly customerClaim: string;
  readonly roleClaim: string;
}

export type AccessTokenVerifier = (token: string) => Promise<Principal>;

/**
 * Verifies an access token (JWT) and returns its customer and role. With several roles the strongest counts. The role of a
 * member replaces the one of its tokens; the role `admin` of a token only when an `admin` or the operator wrote the member.
 *
 * @throws INVALID_AUTH_TOKEN on a bad signature, algorithm, issuer, audience, lifetime or customer (without `rules`: always);
 * FORBIDDEN when it has no supported role, the member is revoked or the customer is suspended.
 */
export function createAccessTokenVerifier(deps: {
  readonly rules: AccessTokenRules | undefined;
  readonly admit: CustomerGate;
  /** Finds a member by its `memberKey`. */
  readonly findMember: (key: string) => Promise<MemberRecord | undefined>;
}): AccessTokenVerifier {
  const { rules, admit, findMember } = deps;
  return async (token) => {
    if (rules === undefined) throw serviceError('INVALID_AUTH_TOKEN');
    const payload = await verifyToken(token, rules);
    const customerId = customerOf(payload, rules);
    if (customerId === undefined || !(await admit(customerId))) throw serviceError('INVALID_AUTH_TOKEN');
    const claimed = roleOf(payload, rules);
    const role = roleAt(await findMember(memberKey(customerId, payload.sub)), claimed);
    if (role === undefined) throw serviceError('FORBIDDEN', { reason: 'the access token has no role' });
    return { kind: 'bearer', customerId, subject: payload.sub, role };
  };
}

/** The role of the member, or else that of the token. @throws FORBIDDEN for a revoked member */
function roleAt(member: MemberRecord | undefined, claimed: Role | undefined): Role | undefined {
  if (member === undefined || !isBinding(member, claimed)) return claimed;
  if (member.revokedAt === null) return member.role;
  throw serviceError('FORBIDDEN', { reason: 'the access of this user is revoked' });
}

async function verifyToken(token: string, rules: AccessTokenRules): Promise<JWTPayload & { readonly sub: string }> {
  try {
    const { payload } = await jwtVerify(token, rules.keys, {
      algorithms: ALGORITHMS,
      issuer: rules.issuer,
      audience: rules.audience,
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
      requiredClaims: ['exp', 'sub'],
    });
    return { ...payload, sub: z.string().min(1).parse(payload.sub) };
  } catch (cause) {
    throw isServiceError(cause) ? cause : serviceError('INVALID_AUTH_TOKEN', {}, { cause });
  }
}

function customerOf(payload: JWTPayload, { customerClaim }: AccessTokenRules): CustomerId | undefined {
  const claim = z.guid().safeParse(claimOf(payload, customerClaim));
  return claim.success ? (claim.data.toLowerCase() as CustomerId) : undefined;
}

function roleOf(payload: JWTPayload, { roleClaim }: AccessTokenRules): Role | undefined {
  const claim = claimOf(payload, roleClaim);
  const roles: readonly unknown[] = Array.isArray(claim) ? claim : [claim];
  return ROLES.find((role) => roles.includes(role));
}

function claimOf(payload: JWTPayload, name: string): unknown {
  if (Object.hasOwn(payload, name)) return payload[name];
  return name.split('.').reduce<unknown>((value, part) => ownProperty(value, part), payload);
}

const ownProperty = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
