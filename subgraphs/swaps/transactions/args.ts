import { ArgsType, Field } from 'type-graphql';
import { JsonScalar, UrlScalar, UuidScalar } from '../../schema/scalars';
import { SwapOutput } from '../quotes/enums';

/** Arguments of a transaction: the body of `POST /v2/swap/bytecode`, to the letter. */
@ArgsType()
export class SwapTransactionArgs {
  @Field(() => UuidScalar, { description: 'The quote to execute.' })
  quoteId!: string;

  @Field(() => String, {
    nullable: true,
    description: 'Wallet that sends, on the origin chain. Required unless a payment in fiat does.',
  })
  originAddress?: string;

  @Field(() => String, {
    nullable: true,
    description: 'Wallet that receives, on the destination chain. Required unless `pixKey` is given.',
  })
  destinationAddress?: string;

  @Field(() => SwapOutput, { nullable: true, description: 'Default `bytecode`.' })
  output?: string;

  @Field(() => String, {
    nullable: true,
    description: 'Account of the custody vault; required when `output` is `custody`.',
  })
  accountId?: string;

  @Field(() => String, { nullable: true, description: 'Pix key or BR Code that BRL are paid out to.' })
  pixKey?: string;

  @Field(() => JsonScalar, { nullable: true, description: '`rawQuote` of the quote, unchanged, when it had one.' })
  rawQuote?: unknown;

  @Field(() => Boolean, { nullable: true, description: 'The same as on the quote. Default false.' })
  thirdParty?: boolean;

  @Field(() => UrlScalar, {
    nullable: true,
    description: 'Receiver of the events of the quote and its action from now on. https, public.',
  })
  webhookURL?: string;
}
