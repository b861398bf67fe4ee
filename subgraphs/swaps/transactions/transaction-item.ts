import { Field, ObjectType } from 'type-graphql';
import { AmountScalar } from '../../schema/scalars';

@ObjectType({
  simpleResolvers: true,
  description:
    'Something for the wallet to sign and send: a call on an EVM chain (`to`, `data`, `value`, `from`), or a transaction on Solana (`rawTransaction`).',
})
export class TransactionItem {
  @Field(() => String, { description: 'Id of the chain, as decimal digits.' })
  chainId!: string;

  @Field(() => String, { nullable: true, description: 'Account that is called.' })
  to?: string;

  @Field(() => String, {
    nullable: true,
    description: 'Calldata in hexadecimal. Send it unchanged: its last 16 bytes name the action.',
  })
  data?: string;

  @Field(() => AmountScalar, { nullable: true, description: 'Native coin sent along, in wei.' })
  value?: string;

  @Field(() => String, { nullable: true, description: 'Wallet that signs.' })
  from?: string;

  @Field(() => String, {
    nullable: true,
    description:
      'Solana transaction of version 0 in base64, unsigned. Sign it unchanged: a reference in it names the action.',
  })
  rawTransaction?: string;
}
