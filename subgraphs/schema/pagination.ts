import { Directive, Field, ObjectType } from 'type-graphql';
import { SafeIntScalar } from './scalars';

@ObjectType({ simpleResolvers: true, description: 'Position of a page in its list.' })
@Directive('@shareable')
export class Pagination {
  @Field(() => SafeIntScalar, { description: 'Number of this page, from 1.' })
  page!: number;

  @Field(() => SafeIntScalar, { description: 'Maximum number of items on a page.' })
  limit!: number;

  @Field(() => SafeIntScalar, { description: 'Number of items in the whole list.' })
  total!: number;

  @Field(() => SafeIntScalar, { description: 'Number of pages of `limit` items.' })
  totalPages!: number;

  @Field(() => Boolean, { description: 'True while `page` is smaller than `totalPages`.' })
  hasMore!: boolean;
}
