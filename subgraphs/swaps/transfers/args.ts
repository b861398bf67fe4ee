import { ArgsType, Field } from 'type-graphql';
import { AmountScalar, ChainNameScalar, UrlScalar } from '../../schema/scalars';
import { SwapOutput } from '../quotes/enums';

/**
 * Arguments of a transfer: exactly the body of `POST /transfer/bytecode`. The domain checks required fields, so that
 * all problems are reported at once.
 */
@ArgsType()
export class TransferArgs {
  @Field(() => ChainNameScalar, { nullable: true, description: 'Required. Id of the chain.' })
  chainId?: string | number;

  @Field(() => String, {
    nullable: true,
    description:
      'Required. Token: contract address or mint. The native coin is 0xEeee…EEeE or the zero address, on Solana the mint of wrapped SOL.',
  })
  token?: string;

  @Field(() => AmountScalar, {
    nullable: true,
    description: 'Required. Amount to transfer, in the smallest unit of the token.',
  })
  amount?: string;

  @Field(() => String, { nullable: true, description: 'Required. Wallet that sends.' })
  originAddress?: string;

  @Field(() => String, { nullable: true, description: 'Required. Wallet that receives.' })
  destinationAddress?: string;

  @Field(() => SwapOutput, { nullable: true, description: 'Form of the transaction. Default `bytecode`.' })
  output?: string;

  @Field(() => String, {
    nullable: true,
    description: 'Account of the custody vault. Required when `output` is `custody`.',
  })
  accountId?: string;

  @Field(() => String, {
    nullable: true,
    description: 'Solana only: text that is recorded with the transfer, at most 256 bytes.',
  })
  memo?: string;

  @Field(() => UrlScalar, {
    nullable: true,
    description:
      'URL that receives the events of this transfer, in place of the customer’s. Must be public and use https.',
  })
  webhookURL?: string;

  @Field(() => String, {
    nullable: true,
    description: 'Former name of `originAddress`.',
    deprecationReason: 'Use `originAddress`.',
  })
  walletOrigin?: string;

  @Field(() => String, {
    nullable: true,
    description: 'Former name of `destinationAddress`.',
    deprecationReason: 'Use `destinationAddress`.',
  })
  walletDestination?: string;
}
