import { ArgsType, Field, ID, InputType, Int, ObjectType, registerEnumType } from 'type-graphql';
import { ROLES, type Role } from '../../src/auth/principal';
import type { AuditQuery } from '../../src/auth/audit-log';
import { LIMIT_NAMES, type LimitChoice, type LimitName } from '../../src/customers/dashboard/manage-limits';
import { namedEnum } from '../schema/named-enum';
import { PageInfo } from '../schema/pagination';
import { DateTimeScalar, JsonScalar } from '../schema/scalars';
import { ApiKeySummary } from './types';

const RoleEnum = namedEnum(ROLES);
registerEnumType(RoleEnum, {
  name: 'Role',
  description: 'Role of a user of the dashboard. docs/roles.md lists what each may do.',
  valuesConfig: {
    admin: { description: 'Everything.' },
    owner: { description: 'Everything but the management of users with the role `admin`.' },
    developer: { description: 'Reads, and sets up the integration: API keys, webhooks, wallets.' },
    viewer: { description: 'Reads.' },
  },
});

const LimitEnum = namedEnum(LIMIT_NAMES);
registerEnumType(LimitEnum, {
  name: 'CustomerLimitName',
  description: 'A limit of a customer, as in docs/limits.md.',
  valuesConfig: {
    openActions: { description: 'Actions in `INITIAL` and `PENDING`, without drafts.' },
    openDrafts: { description: 'Executable quotes that are neither executed nor expired.' },
    openDeliveries: { description: 'Transfers between chains and at ramps that are in progress.' },
    registeredWallets: { description: 'Registered wallets, above which a query adds no new one.' },
    watchedWallets: { description: 'Wallets whose movements are recorded.' },
    actionWatches: { description: 'Open subscriptions to actions, and as many to wallets, in each process.' },
    quoteStreams: { description: 'Open quote streams, in each process.' },
    rateWatches: { description: 'Open subscriptions to rates of strategies, in each process.' },
    uploadMegabytes: { description: 'Megabytes that are uploaded at a time, in each process.' },
    sponsoredGasUsd: { description: 'US dollars of sponsored gas in 24 hours.' },
    completionGasUsd: { description: 'US dollars of gas for completing transfers in 24 hours.' },
    deploymentGasUsd: { description: 'US dollars of gas for deploying smart accounts in 24 hours.' },
    requestsPerMinute: { description: 'Requests of each API key, and of each user, in a minute.' },
    requestsPerHour: { description: 'Requests of each API key, and of each user, in an hour.' },
  },
});

const EXPIRY = { nullable: true, description: 'When the new key expires. Default: never.' };

@ArgsType()
export class CreateApiKeyArgs {
  @Field(() => String, { description: 'Purpose of the key: 1 to 100 characters on one line.' })
  label!: string;

  @Field(() => DateTimeScalar, EXPIRY)
  expiresAt?: string | null;
}

@ArgsType()
export class RotateApiKeyArgs {
  @Field(() => ID, { description: 'Id of the key to replace.' })
  keyId!: string;

  @Field(() => Int, {
    defaultValue: 0,
    description: 'Seconds for which the former key stays valid: 0 to 2592000 (30 days).',
  })
  overlapSeconds!: number;

  @Field(() => DateTimeScalar, EXPIRY)
  expiresAt?: string | null;
}

@ObjectType({ simpleResolvers: true, description: 'A new API key and its secret.' })
export class CreatedApiKey {
  @Field(() => ApiKeySummary, { description: 'The key.' })
  apiKey!: ApiKeySummary;

  @Field(() => String, { description: 'Value of the header `x-api-key`. It is shown once.' })
  secret!: string;
}

@ArgsType()
export class MemberArgs {
  @Field(() => String, { description: "Claim `sub` of the user's access tokens: 1 to 255 characters." })
  subject!: string;

  @Field(() => RoleEnum, { description: 'The role, which replaces the one of the access tokens.' })
  role!: Role;
}

@ObjectType({ simpleResolvers: true, description: 'A user of the dashboard.' })
export class Member {
  @Field(() => String, { description: "Claim `sub` of the user's access tokens." })
  subject!: string;

  @Field(() => RoleEnum, { description: 'The role, which replaces the one of the access tokens.' })
  role!: string;

  @Field(() => DateTimeScalar, { description: 'Time of creation.' })
  createdAt!: Date;

  @Field(() => DateTimeScalar, {
    nullable: true,
    description: 'Since when the access tokens are refused. Null for a user with access.',
  })
  revokedAt!: Date | null;
}

@ObjectType({ simpleResolvers: true, description: 'A limit of the customer.' })
export class CustomerLimit {
  @Field(() => LimitEnum, { description: 'The limit.' })
  name!: string;

  @Field(() => Int, { description: 'What applies: the lower one of the following two.' })
  maximum!: number;

  @Field(() => Int, { description: 'What the operator grants.' })
  granted!: number;

  @Field(() => Int, { nullable: true, description: 'What the customer lowered it to. Null where it did not.' })
  chosen!: number | null;
}

@InputType({ description: 'A limit to lower.' })
export class CustomerLimitInput implements LimitChoice {
  @Field(() => LimitEnum, { description: 'The limit.' })
  name!: LimitName;

  @Field(() => Int, {
    nullable: true,
    description: 'The new maximum, from 1 up to what the operator grants. Null restores what the operator grants.',
  })
  maximum?: number | null;
}

@ObjectType({ simpleResolvers: true, description: 'What the customer has switched on.' })
export class CustomerFeatures {
  @Field(() => Boolean, { description: 'True when users of the customer may choose the secondary ramp.' })
  secondaryRamp!: boolean;

  @Field(() => Boolean, { description: 'True when the operator pays fees for the customer on request.' })
  feeSponsorshipGranted!: boolean;

  @Field(() => Boolean, { description: 'True while the customer does without sponsored fees.' })
  feeSponsorshipPaused!: boolean;
}

@ArgsType()
export class CustomerFeaturesArgs {
  @Field(() => Boolean, { nullable: true, description: 'Opts in to the secondary ramp, or out. Default: unchanged.' })
  secondaryRamp?: boolean | null;

  @Field(() => Boolean, {
    nullable: true,
    description: 'Pauses or resumes sponsored fees. Default: unchanged.',
  })
  feeSponsorshipPaused?: boolean | null;
}

@ArgsType()
export class AuditLogArgs implements Omit<AuditQuery, 'customerId'> {
  @Field(() => Int, { nullable: true, description: 'Number of entries, 1 to 100. Default 20.' })
  first?: number | null;

  @Field(() => String, { nullable: true, description: 'The `endCursor` of the page before. Default: the newest ones.' })
  after?: string | null;

  @Field(() => String, { nullable: true, description: 'Returns only changes by this mutation: `createApiKey`.' })
  operation?: string | null;

  @Field(() => String, { nullable: true, description: 'Returns only changes of this target.' })
  targetId?: string | null;

  @Field(() => String, { nullable: true, description: 'Returns only changes by the user with this claim `sub`.' })
  subject?: string | null;
}

@ObjectType({ simpleResolvers: true, description: 'A change that a user of the dashboard made.' })
export class AuditEntry {
  @Field(() => ID, { description: 'Id of the entry.' })
  id!: string;

  @Field(() => DateTimeScalar, { description: 'Time of the change.' })
  at!: Date;

  @Field(() => String, { description: "Claim `sub` of the user's access token." })
  subject!: string;

  @Field(() => RoleEnum, { description: 'Role of the user at that time.' })
  role!: string;

  @Field(() => String, { description: 'Name of the mutation.' })
  operation!: string;

  @Field(() => String, {
    description:
      'Kind of the target: `action`, `apiKey`, `customer`, `member`, `strategy`, `wallet`, `webhookDelivery` or `webhookEndpoint`.',
  })
  targetType!: string;

  @Field(() => String, { description: 'Id of the target; the claim `sub` of a member, the address of a wallet.' })
  targetId!: string;

  @Field(() => JsonScalar, {
    description: 'Names of what was changed, with numbers, roles and switches. No secrets and no personal data.',
  })
  detail!: unknown;

  @Field(() => String, { description: 'The header `x-request-id` of the request.' })
  requestId!: string;
}

@ObjectType({ simpleResolvers: true, description: 'Changes after a cursor.' })
export class AuditEntryConnection {
  @Field(() => [AuditEntry], { description: 'The changes, the newest first.' })
  nodes!: readonly AuditEntry[];

  @Field(() => PageInfo, { description: 'What precedes and follows these changes.' })
  pageInfo!: PageInfo;
}
