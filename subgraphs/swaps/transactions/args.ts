import { ArgsType, Field } from 'type-graphql';
import { JsonScalar, UrlScalar, UuidScalar } from '../../schema/scalars';
import { SwapOutput } from '../quotes/enums';

/** Arguments of a transaction: exactly the body of `POST /v2/swap/bytecode`. */
@ArgsType()
export class SwapTransactionArgs {
  @Field(() => UuidScalar, { description: 'Id of the quote to execute.' })
  quoteId!: string;

  @Field(() => String, {
    nullable: true,
    description: 'Wallet that sends, on the origin chain. Required unless the payment is made in fiat.',
  })
  originAddress?: string;

  @Field(() => String, {
    nullable: true,
    description: 'Wallet that receives, on the destination chain. Required unless `pixKey` is given.',
  })
  destinationAddress?: string;

  @Field(() => SwapOutput, { nullable: true, description: 'Form of the executing transaction. Default `bytecode`.' })
  output?: string;

  @Field(() => String, {
    nullable: true,
    description: 'Account of the custody vault. Required when `output` is `custody`.',
  })
  accountId?: string;

  @Field(() => String, { nullable: true, description: 'Pix key or BR Code that receives the BRL payout.' })
  pixKey?: string;

  @Field(() => JsonScalar, {
    nullable: true,
    description: '`rawQuote` of the quote, unchanged. Required when the quote has one.',
  })
  rawQuote?: unknown;

  @Field(() => Boolean, {
    nullable: true,
    description: 'True when the Pix payout goes to a third party. Must be the same as in the quote. Default false.',
  })
  thirdParty?: boolean;

  @Field(() => UrlScalar, {
    nullable: true,
    description: 'URL that receives the further events of the quote and its action. Must be public and use https.',
  })
  webhookURL?: string;
}
