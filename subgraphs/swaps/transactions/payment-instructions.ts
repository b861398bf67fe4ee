import { Field, ObjectType } from 'type-graphql';
import { AmountScalar, DateTimeScalar } from '../../schema/scalars';

@ObjectType({ simpleResolvers: true, description: 'A Pix payment.' })
export class PixInstructions {
  @Field(() => String, { description: 'BR Code, to copy and paste into the app of a bank.' })
  copyPaste!: string;

  @Field(() => String, { description: 'Where its QR code is shown, as PNG. Whoever has the URL sees the code.' })
  qrCodeUrl!: string;
}

@ObjectType({ simpleResolvers: true, description: 'An account in the United States that is paid to.' })
export class BankInstructions {
  @Field(() => String)
  bankName!: string;

  @Field(() => String)
  routingNumber!: string;

  @Field(() => String)
  accountNumber!: string;

  @Field(() => String)
  beneficiary!: string;

  @Field(() => String, {
    nullable: true,
    description: 'Has to stand in the payment, or nobody can tell whose it is.',
  })
  memo?: string | undefined;
}

@ObjectType({ simpleResolvers: true })
export class PaymentAmount {
  @Field(() => AmountScalar, { description: 'Exactly what is to be paid, in cents.' })
  amountRaw!: string;

  @Field(() => String)
  currency!: string;
}

@ObjectType({
  simpleResolvers: true,
  description: 'How to pay in: exactly one of `pix`, `wire` and `ach` is there.',
})
export class PaymentInstructions {
  @Field(() => PixInstructions, { nullable: true })
  pix?: PixInstructions | undefined;

  @Field(() => BankInstructions, { nullable: true })
  wire?: BankInstructions | undefined;

  @Field(() => BankInstructions, { nullable: true })
  ach?: BankInstructions | undefined;

  @Field(() => DateTimeScalar, { nullable: true, description: 'Until when the payment is waited for.' })
  expiresAt?: Date | undefined;

  @Field(() => PaymentAmount)
  amount!: PaymentAmount;
}
