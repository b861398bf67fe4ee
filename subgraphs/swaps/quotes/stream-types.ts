import { Field, Int, ObjectType } from 'type-graphql';
import { ProviderQuoteOutcome } from './types';

@ObjectType({ simpleResolvers: true, description: 'Result of one provider, sent as soon as it is available.' })
export class StreamedSwapQuote extends ProviderQuoteOutcome {
  @Field(() => Int, {
    description:
      'Number of the round, from 1. A new round with new quotes starts before the quotes of the last round expire.',
  })
  round!: number;

  @Field(() => Int, { description: 'Number of providers of this round without a result so far.' })
  outstanding!: number;
}
