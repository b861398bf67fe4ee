import { Field, ObjectType } from 'type-graphql';
import { AmountScalar } from '../../schema/scalars';

@ObjectType({ simpleResolvers: true, description: 'A call for the wallet to sign and send.' })
export class TransactionItem {
  @Field(() => String, { description: 'Id of the chain, as decimal digits.' })
  chainId!: string;

  @Field(() => String, { description: 'Contract that is called.' })
  to!: string;

  @Field(() => String, {
    description: 'Calldata in hexadecimal. Send it unchanged: its last 16 bytes name the action.',
  })
  data!: string;

  @Field(() => AmountScalar, { description: 'Native coin sent along, in wei.' })
  value!: string;

  @Field(() => String, { description: 'Wallet that signs.' })
  from!: string;
}
