import { Directive, Field, Float, Int, ObjectType } from 'type-graphql';
import type { ShownEarn } from '../../../src/strategies/positions/earn-snapshots';
import { ALL_CHAINS } from '../../schema/costs';
import { AddressScalar, DateTimeScalar, UuidScalar } from '../../schema/scalars';
import { Strategy } from '../types';
import { EarnDeltaReasonEnum, SnapshotStateEnum } from './enums';
import { SpotPosition } from './types';

@ObjectType({ simpleResolvers: true })
@Directive('@key(fields: "address")')
export class Wallet {
  @Field(() => AddressScalar, { description: 'The address.' })
  address!: string;
}

@ObjectType({ simpleResolvers: true })
@Directive('@key(fields: "id")')
export class Action {
  @Field(() => UuidScalar, { description: 'Id of the action.' })
  id!: string;
}

@ObjectType({ simpleResolvers: true, description: 'A position in the overview of a wallet.' })
export class EarnPosition {
  /** For the actions, which are loaded on request. */
  wallet!: string;

  @Field(() => SpotPosition, { description: 'The position now.' })
  spotPosition!: SpotPosition;

  @Field(() => Strategy, { description: 'The strategy.' })
  strategy!: Strategy;
}

@ObjectType({ simpleResolvers: true, description: 'Sums over all positions.' })
export class EarnSummary {
  @Field(() => Float, { description: 'Sum of the profits that are certain, in US dollars.' })
  totalProfitInUSD!: string;

  @Field(() => Float, { description: 'Sum of the values, in US dollars. Positions without a price are left out.' })
  totalUnderlyingBalanceUSD!: string;
}

@ObjectType({ simpleResolvers: true, description: 'State of the section.' })
export class EarnSnapshot {
  @Field(() => SnapshotStateEnum, { description: 'State.' })
  state!: ShownEarn['snapshot']['state'];

  @Field(() => DateTimeScalar, { description: 'Time of the computation.' })
  computedAt!: Date;

  @Field(() => String, { nullable: true, description: 'Why the state is not `fresh`.' })
  staleReason!: string | undefined;

  @Field(() => Boolean, {
    description:
      'True when a position contains the amount of an action that was executed after the block of the position.',
  })
  deltaApplied!: boolean;

  @Field(() => EarnDeltaReasonEnum, {
    nullable: true,
    description: 'Null when no action was executed after the block of its position.',
  })
  deltaReason!: ShownEarn['snapshot']['deltaReason'];

  @Field(() => Int, { description: 'Number of pending actions of the wallet in strategies.' })
  pendingActionCount!: number;
}

@ObjectType({ simpleResolvers: true, description: 'How old the positions are.' })
export class EarnStaleness {
  @Field(() => Int, { description: 'Number of positions that are stale.' })
  stalePositions!: number;

  @Field(() => DateTimeScalar, { nullable: true, description: 'Time of the oldest block. Null without positions.' })
  oldestAsOf!: Date | undefined;
}

@ObjectType({ simpleResolvers: true, description: 'A strategy that could not be read.' })
export class EarnError {
  @Field(() => String, { description: 'Code of the error, as in `errors[].extensions.code`.' })
  code!: string;

  @Field(() => String, { description: 'Text for people; it may change.' })
  message!: string;

  @Field(() => String, { nullable: true, description: 'Id of the strategy. Null for a chain that was never read.' })
  strategyId!: string | undefined;
}

@ObjectType({ simpleResolvers: true, description: 'What a wallet has in strategies.' })
@Directive(ALL_CHAINS)
export class WalletEarn {
  @Field(() => [EarnPosition], {
    description:
      'Positions in the order of the catalog, also empty ones with rewards of a cent or more to claim. Dust is left out.',
  })
  positions!: readonly EarnPosition[];

  @Field(() => EarnSummary, { description: 'Sums over all positions.' })
  summary!: EarnSummary;

  @Field(() => EarnSnapshot, { description: 'State of this section.' })
  snapshot!: EarnSnapshot;

  @Field(() => EarnStaleness, { description: 'How old the positions are.' })
  staleness!: EarnStaleness;

  @Field(() => [EarnError], { description: 'Strategies that could not be read.' })
  errors!: readonly EarnError[];
}
