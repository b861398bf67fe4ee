import { Field, ObjectType } from 'type-graphql';
import { AmountScalar, JsonScalar } from '../../schema/scalars';
import { PaymentInstructions } from './payment-instructions';

/** What every answer tells that hands something out for signature, in the form that was asked for. */
@ObjectType({ simpleResolvers: true })
export abstract class ExecutionFields {
  @Field(() => JsonScalar, {
    nullable: true,
    description: 'The calls as one ERC-4337 user operation to sign. Only when `output` is `userOperation`.',
  })
  userOperation?: unknown;

  @Field(() => [JsonScalar], {
    nullable: true,
    description:
      'The calls as the bodies that a custody vault takes, in sending order, unsigned. Only when `output` is `custody`.',
  })
  custody?: readonly unknown[];

  @Field(() => [JsonScalar], {
    nullable: true,
    description:
      'Solana instructions to compose a transaction of: {programId, accounts [{pubkey, isSigner, isWritable}], data (base64)}. Only when `output` is `instructions`.',
  })
  instructions?: readonly unknown[];

  @Field(() => JsonScalar, {
    nullable: true,
    description: 'Addresses in look-up tables, by the address of the table, with `instructions`.',
  })
  lutsByAddress?: unknown;
}

/** The same of a swap, which may be executed by a deposit too. */
@ObjectType({ simpleResolvers: true })
export abstract class SwapExecutionFields extends ExecutionFields {
  @Field(() => String, {
    nullable: true,
    description: 'Where to pay to, on an origin chain without calls: whoever pays there executes the swap.',
  })
  depositAddress?: string;

  @Field(() => AmountScalar, {
    nullable: true,
    description: 'What to pay to `depositAddress`, in the smallest unit of the token sold.',
  })
  depositAmount?: string;

  @Field(() => PaymentInstructions, {
    nullable: true,
    description: 'How to pay in fiat: there is nothing to sign. Only of on-ramps.',
  })
  paymentInstructions?: PaymentInstructions;
}
