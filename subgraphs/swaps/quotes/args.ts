import { ArgsType, Field, Int } from 'type-graphql';
import { AmountScalar, ChainNameScalar, DecimalFractionScalar, UrlScalar } from '../../schema/scalars';
import { SwapOutput, TransferSpeed, UsdPaymentMethod } from './enums';

@ArgsType()
class RouteArgs {
  @Field(() => ChainNameScalar, {
    nullable: true,
    description: 'Slug or id of the origin chain. Either this or `chainIdIn` is required.',
  })
  originChain?: string;

  @Field(() => ChainNameScalar, { nullable: true, description: 'Id of the origin chain.' })
  chainIdIn?: string;

  @Field(() => ChainNameScalar, {
    nullable: true,
    description: 'Slug or id of the destination chain. Either this or `chainIdOut` is required.',
  })
  destinationChain?: string;

  @Field(() => ChainNameScalar, { nullable: true, description: 'Id of the destination chain.' })
  chainIdOut?: string;

  @Field(() => String, {
    description:
      'Token to sell: contract address, mint, or `BRL` / `USD` on the chain `fiat`. The native coin is 0xEeee…EEeE or the zero address.',
  })
  tokenIn!: string;

  @Field(() => String, { description: 'Token to buy, in the same form as `tokenIn`.' })
  tokenOut!: string;

  @Field(() => AmountScalar, {
    nullable: true,
    description:
      'Exact amount to sell, in the smallest unit of `tokenIn`. Give exactly one of `amountIn` and `amountOut`.',
  })
  amountIn?: string;

  @Field(() => AmountScalar, {
    nullable: true,
    description:
      'Exact amount to buy, in the smallest unit of `tokenOut`. Give exactly one of `amountIn` and `amountOut`.',
  })
  amountOut?: string;
}

@ArgsType()
class PartyArgs extends RouteArgs {
  @Field(() => String, { nullable: true, description: 'Wallet that sends, on the origin chain.' })
  originAddress?: string;

  @Field(() => String, {
    nullable: true,
    description: 'Wallet that receives, on the destination chain. With `originAddress` too, the quote is executable.',
  })
  destinationAddress?: string;

  @Field(() => String, {
    nullable: true,
    description: 'Wallet on the origin chain that receives refunds when the swap fails. Default `originAddress`.',
  })
  refundAddress?: string;

  @Field(() => String, { nullable: true, description: 'Pix key or BR Code that receives the BRL payout.' })
  pixKey?: string;

  @Field(() => Boolean, {
    nullable: true,
    description:
      'True when the Pix payout goes to a third party. Must be the same in the bytecode request. Default false.',
  })
  thirdParty?: boolean;
}

@ArgsType()
class BankArgs extends PartyArgs {
  @Field(() => String, { nullable: true, description: 'Name under which the beneficiary of a USD payout is saved.' })
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

  @Field(() => String, { nullable: true, description: 'USD payout: second address line of the beneficiary.' })
  beneficiaryStreetLine2?: string;

  @Field(() => String, { nullable: true, description: 'USD payout: city of the beneficiary.' })
  beneficiaryCity?: string;

  @Field(() => String, { nullable: true, description: 'USD payout: state of the beneficiary.' })
  beneficiaryState?: string;

  @Field(() => String, { nullable: true, description: 'USD payout: postal code of the beneficiary.' })
  beneficiaryPostalCode?: string;

  @Field(() => String, { nullable: true, description: 'USD payout: country of the beneficiary.' })
  beneficiaryCountry?: string;

  @Field(() => String, { nullable: true, description: 'USD payout: message to the beneficiary.' })
  description?: string;

  @Field(() => UsdPaymentMethod, {
    nullable: true,
    description: 'Payment method for US dollars, in or out. Default `WIRE`.',
  })
  usdPaymentMethod?: string;
}

/** Arguments of a quote: exactly the parameters of `GET /v2/swap/quote`. */
@ArgsType()
export class SwapQuoteArgs extends BankArgs {
  @Field(() => SwapOutput, {
    nullable: true,
    description: 'Form of the executing transaction. Default `bytecode`.',
  })
  output?: string;

  @Field(() => String, {
    nullable: true,
    description: 'Account of the custody vault. Required when `output` is `custody`.',
  })
  accountId?: string;

  @Field(() => Boolean, {
    nullable: true,
    description:
      'Requests that the service pays the gas. Requires the `feeSponsorship` feature, a transfer from an EVM chain to another chain and, to execute, the output `userOperation`. Default false.',
  })
  feeSponsorship?: boolean;

  @Field(() => String, { nullable: true, description: 'Requests a quote from this provider only, case-insensitive.' })
  preferredProvider?: string;

  @Field(() => String, {
    nullable: true,
    description:
      'Ramp of a route from or to fiat: `primary` (the default), `secondary` or its brand name. Ignored on other routes.',
  })
  rampProvider?: string;

  @Field(() => DecimalFractionScalar, {
    nullable: true,
    description:
      'Tolerated difference between the quoted and the executed price: a fraction of 1, from 0.0001 to 0.5. Default 0.005.',
  })
  slippage?: string;

  @Field(() => Int, {
    nullable: true,
    description:
      'Largest accepted price impact in basis points, 0 to 10000. Offers above it are refused with `AMOUNT_IN_TOO_HIGH`, whose `details` have the largest amount within it, or with `QUOTE_GENERATION_FAILED` when no such amount was found. Default: the bound of the deployment, 1500 unless configured otherwise. 10000 sets no bound on the price impact.',
  })
  maxPriceImpactBps?: number;

  @Field(() => TransferSpeed, {
    nullable: true,
    description: "Speed of a transfer between chains. Default: the provider's choice.",
  })
  transferSpeed?: string;

  @Field(() => UrlScalar, {
    nullable: true,
    description:
      'URL that receives the events of this quote, in place of the customer’s. Must be public and use https.',
  })
  webhookURL?: string;
}
