import { Field, ID, Int, ObjectType } from 'type-graphql';
import { DateTimeScalar, UrlScalar } from '../schema/scalars';

@ObjectType({ simpleResolvers: true, description: 'An API key, without its secret.' })
export class ApiKeySummary {
  @Field(() => ID, { description: 'Public part of the key.' })
  id!: string;

  @Field(() => String, { description: 'How the key begins.' })
  prefix!: string;

  @Field(() => String)
  label!: string;

  @Field(() => DateTimeScalar)
  createdAt!: Date;

  @Field(() => DateTimeScalar, { nullable: true, description: 'Accurate to about a minute.' })
  lastUsedAt!: Date | null;

  @Field(() => DateTimeScalar, { nullable: true })
  expiresAt!: Date | null;

  @Field(() => DateTimeScalar, { nullable: true })
  revokedAt!: Date | null;
}

@ObjectType({ simpleResolvers: true, description: 'Requests that each API key may make.' })
export class CustomerRateLimit {
  @Field(() => Int)
  perMinute!: number;

  @Field(() => Int)
  perHour!: number;
}

@ObjectType({ simpleResolvers: true, description: 'The customer of the access token, and what its bearer may do.' })
export class CustomerProfile {
  @Field(() => ID)
  id!: string;

  @Field(() => String)
  name!: string;

  @Field(() => String, { description: '`ACTIVE` or `SUSPENDED`.' })
  status!: string;

  @Field(() => String, { description: 'Role of the access token: `admin`, `owner`, `developer` or `viewer`.' })
  role!: string;

  @Field(() => [String])
  permissions!: readonly string[];

  @Field(() => DateTimeScalar)
  createdAt!: Date;

  @Field(() => [ApiKeySummary])
  apiKeys!: readonly ApiKeySummary[];

  @Field(() => CustomerRateLimit)
  rateLimit!: CustomerRateLimit;

  @Field(() => [String], { description: 'Features that are switched on for the customer.' })
  features!: readonly string[];

  @Field(() => UrlScalar, { nullable: true })
  webhookURL!: string | null;
}
