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
  @Field(() => String, { description: 'Name of the bank.' })
  bankName!: string;

  @Field(() => String, { description: 'ABA routing number.' })
  routingNumber!: string;

  @Field(() => String, { description: 'Number of the account.' })
  accountNumber!: string;

  @Field(() => String, { description: 'Holder of the account.' })
  beneficiary!: string;

  @Field(() => String, {
    nullable: true,
    description: 'Has to stand in the payment, or nobody can tell whose it is.',
  })
  memo?: string | undefined;
}

@ObjectType({ simpleResolvers: true, description: 'An amount of money at a bank.' })
export class PaymentAmount {
  @Field(() => AmountScalar, { description: 'Exactly what is to be paid, in cents.' })
  amountRaw!: string;

  @Field(() => String, { description: '`BRL` or `USD`.' })
  currency!: string;
}

@ObjectType({
  simpleResolvers: true,
  description: 'How to pay in: exactly one of `pix`, `wire` and `ach` is there.',
})
export class PaymentInstructions {
  @Field(() => PixInstructions, { nullable: true, description: 'A Pix charge.' })
  pix?: PixInstructions | undefined;

  @Field(() => BankInstructions, { nullable: true, description: 'A wire transfer in dollars.' })
  wire?: BankInstructions | undefined;

  @Field(() => BankInstructions, { nullable: true, description: 'An ACH transfer in dollars.' })
  ach?: BankInstructions | undefined;

  @Field(() => DateTimeScalar, { nullable: true, description: 'Until when the payment is waited for.' })
  expiresAt?: Date | undefined;

  @Field(() => PaymentAmount, { description: 'How much is to be paid.' })
  amount!: PaymentAmount;
}
