import { Field, ObjectType } from 'type-graphql';
import { AmountScalar } from '../../schema/scalars';

@ObjectType({
  simpleResolvers: true,
  description:
    'A transaction for the wallet to sign and send: a call on an EVM chain (`to`, `data`, `value`, `from`), or a transaction on Solana (`rawTransaction`).',
})
export class TransactionItem {
  @Field(() => String, { description: 'Id of the chain, as decimal digits.' })
  chainId!: string;

  @Field(() => String, { nullable: true, description: 'Contract or account to call.' })
  to?: string;

  @Field(() => String, {
    nullable: true,
    description: 'Calldata in hexadecimal. Send it unchanged: its last 16 bytes identify the action.',
  })
  data?: string;

  @Field(() => AmountScalar, { nullable: true, description: 'Native coin to send with the call, in wei.' })
  value?: string;

  @Field(() => String, { nullable: true, description: 'Wallet that signs and sends.' })
  from?: string;

  @Field(() => String, {
    nullable: true,
    description:
      'Unsigned Solana transaction of version 0, in base64. Sign it unchanged: a reference in it identifies the action.',
  })
  rawTransaction?: string;
}
