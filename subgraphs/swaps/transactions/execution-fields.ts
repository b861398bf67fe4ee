import { Field, ObjectType } from 'type-graphql';
import { AmountScalar, JsonScalar } from '../../schema/scalars';
import { PaymentInstructions } from './payment-instructions';

/** Fields of every response with something to sign, in the requested form. */
@ObjectType({ simpleResolvers: true })
export abstract class ExecutionFields {
  @Field(() => JsonScalar, {
    nullable: true,
    description: 'The calls as one ERC-4337 user operation to sign. Set only when `output` is `userOperation`.',
  })
  userOperation?: unknown;

  @Field(() => [JsonScalar], {
    nullable: true,
    description:
      'The calls as unsigned bodies for a custody vault, in sending order. Set only when `output` is `custody`.',
  })
  custody?: readonly unknown[];

  @Field(() => [JsonScalar], {
    nullable: true,
    description:
      'Solana instructions to compose a transaction: {programId, accounts [{pubkey, isSigner, isWritable}], data (base64)}. Set only when `output` is `instructions`.',
  })
  instructions?: readonly unknown[];

  @Field(() => JsonScalar, {
    nullable: true,
    description: 'Addresses in lookup tables, by the address of the table. Set only when `output` is `instructions`.',
  })
  lutsByAddress?: unknown;
}

/** The same fields for a swap, which may also be executed by a deposit. */
@ObjectType({ simpleResolvers: true })
export abstract class SwapExecutionFields extends ExecutionFields {
  @Field(() => String, {
    nullable: true,
    description: 'Address to pay to, on an origin chain without contract calls. The payment executes the swap.',
  })
  depositAddress?: string;

  @Field(() => AmountScalar, {
    nullable: true,
    description: 'Amount to pay to `depositAddress`, in the smallest unit of the token sold.',
  })
  depositAmount?: string;

  @Field(() => PaymentInstructions, {
    nullable: true,
    description: 'Payment instructions of an on-ramp, which has nothing to sign. Null otherwise.',
  })
  paymentInstructions?: PaymentInstructions;
}
