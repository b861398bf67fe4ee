import { Field, ObjectType } from 'type-graphql';
import { PageInfo } from '../../schema/pagination';
import { SafeIntScalar } from '../../schema/scalars';
import { Action } from './types';

@ObjectType({ simpleResolvers: true, description: 'An action in a connection.' })
export class ActionEdge {
  @Field(() => String, { description: 'Position of the action, for the argument `after`.' })
  cursor!: string;

  @Field(() => Action, { description: 'The action.' })
  node!: Action;
}

@ObjectType({ simpleResolvers: true, description: 'Actions of a wallet after a cursor.' })
export class ActionConnection {
  @Field(() => [ActionEdge], { description: 'The actions with their cursors.' })
  edges!: readonly ActionEdge[];

  @Field(() => [Action], { description: 'The actions without their cursors.' })
  nodes!: readonly Action[];

  @Field(() => PageInfo, { description: 'What precedes and follows these actions.' })
  pageInfo!: PageInfo;

  @Field(() => SafeIntScalar, { description: 'Number of actions in the whole list.' })
  totalCount!: number;
}
