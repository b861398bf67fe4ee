import { ArgsType, Field } from 'type-graphql';
import { AmountScalar, ChainNameScalar, DecimalFractionScalar, UrlScalar } from '../../schema/scalars';
import { SwapOutput, TransferSpeed, UsdPaymentMethod } from './enums';

@ArgsType()
class RouteArgs {
  @Field(() => ChainNameScalar, { nullable: true, description: 'Origin chain. This or `chainIdIn` is required.' })
  originChain?: string;

  @Field(() => ChainNameScalar, { nullable: true, description: 'Id of the origin chain.' })
  chainIdIn?: string;

  @Field(() => ChainNameScalar, {
    nullable: true,
    description: 'Destination chain. This or `chainIdOut` is required.',
  })
  destinationChain?: string;

  @Field(() => ChainNameScalar, { nullable: true, description: 'Id of the destination chain.' })
  chainIdOut?: string;

  @Field(() => String, {
    description:
      'Token sold: contract address, mint, or `BRL` / `USD` on the chain `fiat`. The native coin is 0xEeee…EEeE or the zero address.',
  })
  tokenIn!: string;

  @Field(() => String, { description: 'Token bought, written as `tokenIn`.' })
  tokenOut!: string;

  @Field(() => AmountScalar, {
    nullable: true,
    description:
      'Exact amount sold, in the smallest unit of `tokenIn`. Give exactly one of `amountIn` and `amountOut`.',
  })
  amountIn?: string;

  @Field(() => AmountScalar, {
    nullable: true,
    description: 'Exact amount bought, in the smallest unit of `tokenOut`.',
  })
  amountOut?: string;
}

@ArgsType()
class PartyArgs extends RouteArgs {
  @Field(() => String, { nullable: true, description: 'Wallet that sends, on the origin chain.' })
  originAddress?: string;

  @Field(() => String, {
    nullable: true,
    description: 'Wallet that receives, on the destination chain. With `originAddress` the quote is executable.',
  })
  destinationAddress?: string;

  @Field(() => String, {
    nullable: true,
    description: 'Wallet on the origin chain that refunds go to when the swap fails. Default `originAddress`.',
  })
  refundAddress?: string;

  @Field(() => String, { nullable: true, description: 'Pix key or BR Code that BRL are paid out to.' })
  pixKey?: string;

  @Field(() => Boolean, {
    nullable: true,
    description: 'True when the Pix payout goes to a third party; the same on the bytecode request. Default false.',
  })
  thirdParty?: boolean;
}

@ArgsType()
class BankArgs extends PartyArgs {
  @Field(() => String, { nullable: true, description: 'Name of the beneficiary of a USD payout for later use.' })
  alias?: string;

  @Field(() => String, { nullable: true, description: 'USD payout: account number.' })
  bankAccountNumber?: string;

  @Field(() => String, { nullable: true, description: 'USD payout: ABA routing number.' })
  bankRoutingNumber?: string;

  @Field(() => String, { nullable: true, description: 'USD payout: name of the bank.' })
  bankName?: string;

  @Field(() => String, { nullable: true, description: 'USD payout: legal name of the beneficiary, in ASCII.' })
  bankBeneficiaryName?: string;

  @Field(() => String, { nullable: true, description: 'USD payout: street and number of the beneficiary.' })
  beneficiaryStreetLine1?: string;

  @Field(() => String, { nullable: true, description: 'USD payout: what else belongs to the street.' })
  beneficiaryStreetLine2?: string;

  @Field(() => String, { nullable: true, description: 'USD payout: city of the beneficiary.' })
  beneficiaryCity?: string;

  @Field(() => String, { nullable: true, description: 'USD payout: state of the beneficiary.' })
  beneficiaryState?: string;

  @Field(() => String, { nullable: true, description: 'USD payout: postal code of the beneficiary.' })
  beneficiaryPostalCode?: string;

  @Field(() => String, { nullable: true, description: 'USD payout: country of the beneficiary.' })
  beneficiaryCountry?: string;

  @Field(() => String, { nullable: true, description: 'USD payout: text for the beneficiary.' })
  description?: string;

  @Field(() => UsdPaymentMethod, {
    nullable: true,
    description: 'By which dollars are paid, in or out. Default `WIRE`.',
  })
  usdPaymentMethod?: string;
}

/** Arguments of a quote: those of `GET /v2/swap/quote`, to the letter. */
@ArgsType()
export class SwapQuoteArgs extends BankArgs {
  @Field(() => SwapOutput, {
    nullable: true,
    description: 'What an executable quote is made as. Default `bytecode`.',
  })
  output?: string;

  @Field(() => String, {
    nullable: true,
    description: 'Account of the custody vault; required when `output` is `custody`.',
  })
  accountId?: string;

  @Field(() => Boolean, {
    nullable: true,
    description:
      'Asks that somebody else pay for the gas: for transfers from an EVM chain to another chain, of customers who may. Executable only with the output `userOperation`. Default false.',
  })
  feeSponsorship?: boolean;

  @Field(() => String, { nullable: true, description: 'The only provider to ask, in any case.' })
  preferredProvider?: string;

  @Field(() => String, {
    nullable: true,
    description:
      'Ramp of a route from or to fiat: `primary` (the default), `secondary`, or its brand name. Without effect on other routes.',
  })
  rampProvider?: string;

  @Field(() => DecimalFractionScalar, {
    nullable: true,
    description: 'How much worse than quoted the execution may be: a fraction of 1, 0.0001 to 0.5. Default 0.005.',
  })
  slippage?: string;

  @Field(() => TransferSpeed, {
    nullable: true,
    description: 'How soon a transfer between chains is to count as final. The provider decides when it is not given.',
  })
  transferSpeed?: string;

  @Field(() => UrlScalar, {
    nullable: true,
    description: 'Receiver of the events of this quote, in place of the customer’s. https, public.',
  })
  webhookURL?: string;
}
