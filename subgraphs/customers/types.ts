import { Field, ID, Int, ObjectType } from 'type-graphql';
import { DateTimeScalar, UrlScalar } from '../schema/scalars';

@ObjectType({ simpleResolvers: true, description: 'An API key, without its secret.' })
export class ApiKeySummary {
  @Field(() => ID, { description: 'Public part of the key.' })
  id!: string;

  @Field(() => String, { description: 'First characters of the key.' })
  prefix!: string;

  @Field(() => String, { description: 'Purpose of the key, as given when it was created.' })
  label!: string;

  @Field(() => DateTimeScalar, { description: 'Time of creation.' })
  createdAt!: Date;

  @Field(() => DateTimeScalar, {
    nullable: true,
    description: 'Time of the last use, accurate to about a minute. Null when the key was never used.',
  })
  lastUsedAt!: Date | null;

  @Field(() => DateTimeScalar, {
    nullable: true,
    description: 'Time at which the key expires. Null when it does not expire.',
  })
  expiresAt!: Date | null;

  @Field(() => DateTimeScalar, {
    nullable: true,
    description: 'Time at which the key was revoked. Null when it is active.',
  })
  revokedAt!: Date | null;
}

@ObjectType({ simpleResolvers: true, description: 'Number of requests that each API key may make.' })
export class CustomerRateLimit {
  @Field(() => Int, { description: 'Requests per minute.' })
  perMinute!: number;

  @Field(() => Int, { description: 'Requests per hour.' })
  perHour!: number;
}

@ObjectType({
  simpleResolvers: true,
  description: 'The customer of the access token, with the permissions of the token.',
})
export class CustomerProfile {
  @Field(() => ID, { description: 'Id of the customer.' })
  id!: string;

  @Field(() => String, { description: 'Name of the customer.' })
  name!: string;

  @Field(() => String, { description: '`ACTIVE` or `SUSPENDED`.' })
  status!: string;

  @Field(() => String, {
    description:
      'Role of the user: `admin`, `owner`, `developer` or `viewer`. For a member the one that the operator has set, else the one of the access token.',
  })
  role!: string;

  @Field(() => [String], { description: 'Permissions of the role.' })
  permissions!: readonly string[];

  @Field(() => DateTimeScalar, { description: 'Time of creation.' })
  createdAt!: Date;

  @Field(() => [ApiKeySummary], { description: 'API keys of the customer, without their secrets.' })
  apiKeys!: readonly ApiKeySummary[];

  @Field(() => CustomerRateLimit, { description: 'Number of requests that each API key may make.' })
  rateLimit!: CustomerRateLimit;

  @Field(() => [String], { description: 'Features that are enabled for the customer.' })
  features!: readonly string[];

  @Field(() => UrlScalar, {
    nullable: true,
    description: "URL that receives the customer's events. Null when none is set.",
  })
  webhookURL!: string | null;
}
