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

@ObjectType({ simpleResolvers: true, description: 'What precedes and follows a slice of a list.' })
@Directive('@shareable')
export class PageInfo {
  @Field(() => Boolean, { description: 'True when the list continues behind `endCursor`.' })
  hasNextPage!: boolean;

  @Field(() => Boolean, { description: 'True when the slice starts behind a cursor.' })
  hasPreviousPage!: boolean;

  @Field(() => String, { nullable: true, description: 'Cursor of the first item. Null without items.' })
  startCursor!: string | null;

  @Field(() => String, { nullable: true, description: 'Cursor of the last item. Null without items.' })
  endCursor!: string | null;
}
