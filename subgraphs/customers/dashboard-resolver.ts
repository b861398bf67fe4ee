import { Arg, Args, Authorized, Ctx, Directive, ID, Mutation, Query, Resolver } from 'type-graphql';
import type { RequestContext } from '../../src/auth/request-context';
import { auditCursor, listAuditEntries } from '../../src/auth/audit-log';
import { type ApiKeySummary as ApiKey, listApiKeys } from '../../src/customers/api-keys';
import {
  addApiKey,
  type ManageKeysDeps,
  replaceApiKey,
  withdrawApiKey,
} from '../../src/customers/dashboard/manage-api-keys';
import { changeFeatures, readFeatures } from '../../src/customers/dashboard/manage-features';
import { chooseLimits, type ManageLimitsDeps, readLimits } from '../../src/customers/dashboard/manage-limits';
import { addMember, removeMember, setMemberRole } from '../../src/customers/dashboard/manage-members';
import { listMembers } from '../../src/customers/members';
import { requireActor } from '../schema/authorization';
import { ABOUT_TEN_ITEMS, NODES_SIZE } from '../schema/costs';
import {
  AuditEntryConnection,
  AuditLogArgs,
  CreateApiKeyArgs,
  CreatedApiKey,
  CustomerFeatures,
  CustomerFeaturesArgs,
  CustomerLimit,
  CustomerLimitInput,
  Member,
  MemberArgs,
  RotateApiKeyArgs,
} from './dashboard-types';
import { ApiKeySummary } from './types';

export type DashboardDeps = ManageKeysDeps & ManageLimitsDeps;

const KEY_ID = { description: 'Id of the key.' };

@Resolver()
export class DashboardResolver {
  constructor(private readonly deps: DashboardDeps) {}

  @Authorized('read')
  @Directive(ABOUT_TEN_ITEMS)
  @Query(() => [ApiKeySummary], {
    description: 'Returns the API keys of the customer, newest first, at most 500. Requires a Bearer token.',
  })
  apiKeys(@Ctx() context: RequestContext): Promise<readonly ApiKey[]> {
    return listApiKeys(this.deps.database, requireActor(context).customerId);
  }

  @Authorized('apiKeys:write')
  @Mutation(() => CreatedApiKey, {
    description:
      'Creates an API key, valid immediately. A customer may have 50 active ones. Roles: admin, owner, developer.',
  })
  createApiKey(
    @Args(() => CreateApiKeyArgs) { label, expiresAt }: CreateApiKeyArgs,
    @Ctx() context: RequestContext,
  ): Promise<CreatedApiKey> {
    return addApiKey(this.deps, requireActor(context), { label, expiresAt });
  }

  @Authorized('apiKeys:write')
  @Mutation(() => CreatedApiKey, {
    description: 'Replaces an API key by a new one with the same label. Roles: admin, owner, developer.',
  })
  rotateApiKey(
    @Args(() => RotateApiKeyArgs) { keyId, overlapSeconds, expiresAt }: RotateApiKeyArgs,
    @Ctx() context: RequestContext,
  ): Promise<CreatedApiKey> {
    return replaceApiKey(this.deps, requireActor(context), { keyId, overlapSeconds, expiresAt });
  }

  @Authorized('apiKeys:write')
  @Mutation(() => ApiKeySummary, {
    description: 'Revokes an API key, within 5 seconds. Idempotent. Roles: admin, owner, developer.',
  })
  revokeApiKey(@Arg('keyId', () => ID, KEY_ID) keyId: string, @Ctx() context: RequestContext): Promise<ApiKeySummary> {
    return withdrawApiKey(this.deps, requireActor(context), keyId);
  }

  @Authorized('members:read')
  @Directive(ABOUT_TEN_ITEMS)
  @Query(() => [Member], {
    description:
      'Returns the users with a role of their own, and those whose access was taken, oldest first; at most 1,000. Roles: admin, owner.',
  })
  members(@Ctx() context: RequestContext): Promise<readonly Member[]> {
    return listMembers(this.deps.database, requireActor(context).customerId);
  }

  @Authorized('members:write')
  @Mutation(() => Member, {
    description:
      'Gives a user access with a role that is not stronger than the own one. Idempotent. Roles: admin, owner.',
  })
  addMember(@Args(() => MemberArgs) { subject, role }: MemberArgs, @Ctx() context: RequestContext): Promise<Member> {
    return addMember(this.deps, requireActor(context), { subject, role });
  }

  @Authorized('members:write')
  @Mutation(() => Member, {
    description:
      'Changes the role of a member, within 5 seconds. The last owner keeps its role. Idempotent. Roles: admin, owner.',
  })
  setMemberRole(
    @Args(() => MemberArgs) { subject, role }: MemberArgs,
    @Ctx() context: RequestContext,
  ): Promise<Member> {
    return setMemberRole(this.deps, requireActor(context), { subject, role });
  }

  @Authorized('members:write')
  @Mutation(() => Member, {
    description:
      'Takes the access of a user, within 5 seconds, also with a valid access token. The last owner cannot be removed. Idempotent. Roles: admin, owner.',
  })
  removeMember(
    @Arg('subject', () => String, { description: "Claim `sub` of the user's access tokens." }) subject: string,
    @Ctx() context: RequestContext,
  ): Promise<Member> {
    return removeMember(this.deps, requireActor(context), subject);
  }

  @Authorized('read')
  @Directive(ABOUT_TEN_ITEMS)
  @Query(() => [CustomerLimit], { description: 'Returns the limits of the customer. Requires a Bearer token.' })
  customerLimits(@Ctx() context: RequestContext): Promise<readonly CustomerLimit[]> {
    return readLimits(this.deps, requireActor(context).customerId);
  }

  @Authorized('limits:write')
  @Directive(ABOUT_TEN_ITEMS)
  @Mutation(() => [CustomerLimit], {
    description:
      'Lowers limits of the customer, within 5 seconds, and returns all. Only the operator raises what is granted. Roles: admin, owner.',
  })
  setCustomerLimits(
    @Arg('limits', () => [CustomerLimitInput], { description: 'The limits to change. Others stay as they are.' })
    limits: CustomerLimitInput[],
    @Ctx() context: RequestContext,
  ): Promise<readonly CustomerLimit[]> {
    return chooseLimits(this.deps, requireActor(context), limits);
  }

  @Authorized('read')
  @Query(() => CustomerFeatures, { description: 'Returns what the customer has switched on. Requires a Bearer token.' })
  customerFeatures(@Ctx() context: RequestContext): Promise<CustomerFeatures> {
    return readFeatures(this.deps, requireActor(context).customerId);
  }

  @Authorized('features:write')
  @Mutation(() => CustomerFeatures, {
    description: 'Opts in to the secondary ramp or out of it, and pauses sponsored fees. Roles: admin, owner.',
  })
  setCustomerFeatures(
    @Args(() => CustomerFeaturesArgs) { secondaryRamp, feeSponsorshipPaused }: CustomerFeaturesArgs,
    @Ctx() context: RequestContext,
  ): Promise<CustomerFeatures> {
    return changeFeatures(this.deps, requireActor(context), { secondaryRamp, feeSponsorshipPaused });
  }

  @Authorized('audit:read')
  @Directive(NODES_SIZE)
  @Query(() => AuditEntryConnection, {
    description: 'Returns the changes that users of the dashboard made, the newest first. Roles: admin, owner.',
  })
  async auditLog(
    @Args(() => AuditLogArgs) { after, ...filter }: AuditLogArgs,
    @Ctx() context: RequestContext,
  ): Promise<AuditEntryConnection> {
    const { customerId } = requireActor(context);
    const { entries, hasNextPage } = await listAuditEntries(this.deps, { customerId, after, ...filter });
    const [first, last] = [entries[0], entries.at(-1)];
    return {
      nodes: entries,
      pageInfo: {
        hasNextPage,
        hasPreviousPage: typeof after === 'string',
        startCursor: first === undefined ? null : auditCursor(first),
        endCursor: last === undefined ? null : auditCursor(last),
      },
    };
  }
}
