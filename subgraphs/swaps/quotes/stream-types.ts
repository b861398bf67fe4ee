import { Field, Int, ObjectType } from 'type-graphql';
import { ProviderQuoteOutcome } from './types';

@ObjectType({ simpleResolvers: true, description: 'What one provider said, as soon as it said it.' })
export class StreamedSwapQuote extends ProviderQuoteOutcome {
  @Field(() => Int, {
    description: 'Counts from 1. A new round, with new quotes, begins before those of the last one end.',
  })
  round!: number;

  @Field(() => Int, { description: 'Providers of this round that have not answered yet.' })
  outstanding!: number;
}
