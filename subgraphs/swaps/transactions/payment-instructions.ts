import { Field, ObjectType } from 'type-graphql';
import { AmountScalar, DateTimeScalar } from '../../schema/scalars';

@ObjectType({ simpleResolvers: true, description: 'A Pix payment.' })
export class PixInstructions {
  @Field(() => String, { description: 'BR Code to copy and paste into a banking app.' })
  copyPaste!: string;

  @Field(() => String, { description: 'URL of its QR code as PNG. Public: the URL itself grants access.' })
  qrCodeUrl!: string;
}

@ObjectType({ simpleResolvers: true, description: 'A bank account in the United States that receives the payment.' })
export class BankInstructions {
  @Field(() => String, { description: 'Name of the bank.' })
  bankName!: string;

  @Field(() => String, { description: 'ABA routing number.' })
  routingNumber!: string;

  @Field(() => String, { description: 'Account number.' })
  accountNumber!: string;

  @Field(() => String, { description: 'Name of the account holder.' })
  beneficiary!: string;

  @Field(() => String, {
    nullable: true,
    description: 'Reference of the payment. Required, because it assigns the payment to the action.',
  })
  memo?: string | undefined;
}

@ObjectType({ simpleResolvers: true, description: 'An amount of fiat money.' })
export class PaymentAmount {
  @Field(() => AmountScalar, { description: 'Exact amount to pay, in cents.' })
  amountRaw!: string;

  @Field(() => String, { description: '`BRL` or `USD`.' })
  currency!: string;
}

@ObjectType({
  simpleResolvers: true,
  description: 'Payment instructions. Exactly one of `pix`, `wire` and `ach` is set.',
})
export class PaymentInstructions {
  @Field(() => PixInstructions, { nullable: true, description: 'A Pix payment.' })
  pix?: PixInstructions | undefined;

  @Field(() => BankInstructions, { nullable: true, description: 'A wire transfer in US dollars.' })
  wire?: BankInstructions | undefined;

  @Field(() => BankInstructions, { nullable: true, description: 'An ACH transfer in US dollars.' })
  ach?: BankInstructions | undefined;

  @Field(() => DateTimeScalar, { nullable: true, description: 'Time until which the payment must arrive.' })
  expiresAt?: Date | undefined;

  @Field(() => PaymentAmount, { description: 'Amount to pay.' })
  amount!: PaymentAmount;
}
