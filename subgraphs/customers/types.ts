import { Field, ID, Int, ObjectType } from 'type-graphql';
import { DateTimeScalar, UrlScalar } from '../schema/scalars';

@ObjectType({ simpleResolvers: true, description: 'An API key, without its secret.' })
export class ApiKeySummary {
  @Field(() => ID, { description: 'Public part of the key.' })
  id!: string;

  @Field(() => String, { description: 'How the key begins.' })
  prefix!: string;

  @Field(() => String, { description: 'What the key is for.' })
  label!: string;

  @Field(() => DateTimeScalar, { description: 'When the key was created.' })
  createdAt!: Date;

  @Field(() => DateTimeScalar, { nullable: true, description: 'Accurate to about a minute.' })
  lastUsedAt!: Date | null;

  @Field(() => DateTimeScalar, { nullable: true, description: 'When it ends to be valid; null when it does not.' })
  expiresAt!: Date | null;

  @Field(() => DateTimeScalar, { nullable: true, description: 'When it was revoked; null when it was not.' })
  revokedAt!: Date | null;
}

@ObjectType({ simpleResolvers: true, description: 'Requests that each API key may make.' })
export class CustomerRateLimit {
  @Field(() => Int, { description: 'Requests per minute.' })
  perMinute!: number;

  @Field(() => Int, { description: 'Requests per hour.' })
  perHour!: number;
}

@ObjectType({ simpleResolvers: true, description: 'The customer of the access token, and what its bearer may do.' })
export class CustomerProfile {
  @Field(() => ID, { description: 'Id of the customer.' })
  id!: string;

  @Field(() => String, { description: 'Name of the customer.' })
  name!: string;

  @Field(() => String, { description: '`ACTIVE` or `SUSPENDED`.' })
  status!: string;

  @Field(() => String, { description: 'Role of the access token: `admin`, `owner`, `developer` or `viewer`.' })
  role!: string;

  @Field(() => [String], { description: 'What the role allows.' })
  permissions!: readonly string[];

  @Field(() => DateTimeScalar, { description: 'When the customer was created.' })
  createdAt!: Date;

  @Field(() => [ApiKeySummary], { description: 'The keys, without their secrets.' })
  apiKeys!: readonly ApiKeySummary[];

  @Field(() => CustomerRateLimit, { description: 'Requests that one key may make.' })
  rateLimit!: CustomerRateLimit;

  @Field(() => [String], { description: 'Features that are switched on for the customer.' })
  features!: readonly string[];

  @Field(() => UrlScalar, { nullable: true, description: 'Where events are sent; null when nowhere.' })
  webhookURL!: string | null;
}
