import { ArgsType, Field, ID, Int, ObjectType, registerEnumType } from 'type-graphql';
import {
  ACTIVATION_STATES,
  type CustomerStrategyView,
  type FeeActivationView,
} from '../../../src/strategies/fees/customer-strategies';
import type { RecurringCollectionView } from '../../../src/strategies/collection/collection-view';
import { namedEnum } from '../../schema/named-enum';
import { AddressScalar, DateTimeScalar, UuidScalar } from '../../schema/scalars';
import { RecurringCollection } from './collection-types';

const ActivationState = namedEnum(ACTIVATION_STATES);
registerEnumType(ActivationState, {
  name: 'FeeActivationState',
  description: 'State of a request for higher fees on profit.',
  valuesConfig: {
    REQUESTED: { description: 'No worker has begun.' },
    RECONCILING: { description: 'A worker reads the state of the strategy from which profit counts.' },
    ACTIVE: { description: 'The fees apply.' },
    FAILED: { description: 'The state could not be read. The former fees apply; the request may be repeated.' },
  },
});

@ObjectType({ simpleResolvers: true, description: 'A request for higher fees on profit.' })
export class FeeActivation implements FeeActivationView {
  @Field(() => UuidScalar, { description: 'Id of the request.' })
  id!: string;

  @Field(() => ActivationState, { description: 'State of the request.' })
  state!: string;

  @Field(() => Int, { description: 'Requested share of the profit at a withdrawal, in basis points.' })
  performanceFeeBps!: number;

  @Field(() => Int, { description: 'Requested further share of the profit, in basis points.' })
  markupFeeBps!: number;

  @Field(() => DateTimeScalar, { description: 'Time of the request.' })
  requestedAt!: Date;

  @Field(() => DateTimeScalar, { nullable: true, description: 'When it was activated or failed. Null until then.' })
  finishedAt!: Date | null;

  @Field(() => String, { nullable: true, description: 'Why the last attempt failed. Null for none.' })
  reason!: string | null;
}

@ObjectType({
  simpleResolvers: true,
  description: 'The fees that the customer set for a strategy, in place of those of the deployment.',
})
export class CustomerStrategy implements CustomerStrategyView {
  @Field(() => ID, { description: 'Id of the strategy, in lower case.' })
  strategyId!: string;

  @Field(() => Int, { description: 'Share of a deposit in basis points.' })
  entryFeeBps!: number;

  @Field(() => Int, { description: 'Share of the profit at a withdrawal in basis points.' })
  performanceFeeBps!: number;

  @Field(() => Int, { description: 'Further share of the profit in basis points.' })
  markupFeeBps!: number;

  @Field(() => AddressScalar, { nullable: true, description: 'Wallet that receives the fees. Null without fees.' })
  feeCollector!: string | null;

  @Field(() => AddressScalar, {
    nullable: true,
    description: 'Wallet that receives the markup. Null when the fee collector receives it.',
  })
  markupRecipient!: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Profit until the end of this block is free, as decimal digits. Null when all profit counts.',
  })
  freeUntilBlock!: string | null;

  @Field(() => FeeActivation, { nullable: true, description: 'The latest request for higher fees on profit.' })
  activation!: FeeActivation | null;

  @Field(() => RecurringCollection, {
    nullable: true,
    description: 'Collection of the fees on profit without a withdrawal. Null when it was never turned on.',
  })
  recurringCollection!: RecurringCollectionView | null;

  @Field(() => DateTimeScalar, { description: 'Time of creation.' })
  createdAt!: Date;

  @Field(() => DateTimeScalar, { description: 'Time of the last change.' })
  updatedAt!: Date;
}

const KEPT = 'Default: unchanged, or that of the deployment the first time.';

@ArgsType()
export class StrategyFeesArgs {
  @Field(() => String, { description: 'Id, slug or alias of the strategy, in any case.' })
  strategyId!: string;

  @Field(() => Int, { nullable: true, description: `Share of a deposit in basis points, 0 to 9999. ${KEPT}` })
  entryFeeBps?: number | null;

  @Field(() => Int, {
    nullable: true,
    description: `Share of the profit at a withdrawal in basis points, together with the markup at most 9999. ${KEPT}`,
  })
  performanceFeeBps?: number | null;

  @Field(() => Int, { nullable: true, description: `Further share of the profit in basis points. ${KEPT}` })
  markupFeeBps?: number | null;

  @Field(() => String, {
    nullable: true,
    description: 'EVM address that receives the fees. Required with a fee. Default: unchanged.',
  })
  feeCollector?: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      'EVM address that receives the markup; must differ from the fee collector. The zero address removes it. Default: unchanged.',
  })
  markupRecipient?: string | null;
}
