import { Directive, Field, ObjectType } from 'type-graphql';
import { SafeIntScalar } from './scalars';

@ObjectType({ simpleResolvers: true, description: 'Where a page stands in its list.' })
@Directive('@shareable')
export class Pagination {
  @Field(() => SafeIntScalar, { description: 'This page, from 1.' })
  page!: number;

  @Field(() => SafeIntScalar, { description: 'Most items on a page.' })
  limit!: number;

  @Field(() => SafeIntScalar, { description: 'Items in the whole list.' })
  total!: number;

  @Field(() => SafeIntScalar, { description: 'Pages of `limit` entries each.' })
  totalPages!: number;

  @Field(() => Boolean, { description: 'True while `page` is before `totalPages`.' })
  hasMore!: boolean;
}
