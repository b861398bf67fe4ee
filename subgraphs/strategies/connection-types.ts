import { Field, ObjectType } from 'type-graphql';
import { PageInfo } from '../schema/pagination';
import { SafeIntScalar } from '../schema/scalars';
import { Strategy } from './types';

@ObjectType({ simpleResolvers: true, description: 'A strategy in a connection.' })
export class StrategyEdge {
  @Field(() => String, { description: 'Position of the strategy, for the argument `after`.' })
  cursor!: string;

  @Field(() => Strategy, { description: 'The strategy.' })
  node!: Strategy;
}

@ObjectType({ simpleResolvers: true, description: 'Strategies after a cursor.' })
export class StrategyConnection {
  @Field(() => [StrategyEdge], { description: 'The strategies with their cursors.' })
  edges!: readonly StrategyEdge[];

  @Field(() => [Strategy], { description: 'The strategies without their cursors.' })
  nodes!: readonly Strategy[];

  @Field(() => PageInfo, { description: 'What precedes and follows these strategies.' })
  pageInfo!: PageInfo;

  @Field(() => SafeIntScalar, { description: 'Number of strategies in the whole list.' })
  totalCount!: number;
}
