import { ArgsType, Field } from 'type-graphql';
import { AmountScalar, ChainNameScalar, UrlScalar } from '../../schema/scalars';
import { SwapOutput } from '../quotes/enums';

/** Arguments of a transfer: the body of `POST /transfer/bytecode`, to the letter. What is required is checked as one. */
@ArgsType()
export class TransferArgs {
  @Field(() => ChainNameScalar, { nullable: true, description: 'Required. Chain of the transfer, by its id.' })
  chainId?: string | number;

  @Field(() => String, {
    nullable: true,
    description:
      'Required. Token: contract address or mint. The native coin is 0xEeee…EEeE or the zero address, on Solana the mint of wrapped SOL.',
  })
  token?: string;

  @Field(() => AmountScalar, {
    nullable: true,
    description: 'Required. What leaves the sender and reaches the recipient, in the smallest unit of the token.',
  })
  amount?: string;

  @Field(() => String, { nullable: true, description: 'Required. Wallet that sends.' })
  originAddress?: string;

  @Field(() => String, { nullable: true, description: 'Required. Wallet that receives.' })
  destinationAddress?: string;

  @Field(() => SwapOutput, { nullable: true, description: 'Default `bytecode`.' })
  output?: string;

  @Field(() => String, {
    nullable: true,
    description: 'Account of the custody vault; required when `output` is `custody`.',
  })
  accountId?: string;

  @Field(() => String, { nullable: true, description: 'Solana: text that goes with the transfer, at most 256 bytes.' })
  memo?: string;

  @Field(() => UrlScalar, {
    nullable: true,
    description: 'Receiver of the events of this transfer, in place of the customer’s. https, public.',
  })
  webhookURL?: string;

  @Field(() => String, {
    nullable: true,
    description: 'Old name of `originAddress`.',
    deprecationReason: 'Use `originAddress`.',
  })
  walletOrigin?: string;

  @Field(() => String, {
    nullable: true,
    description: 'Old name of `destinationAddress`.',
    deprecationReason: 'Use `destinationAddress`.',
  })
  walletDestination?: string;
}
