import { Directive, Field, Float, Int, ObjectType, registerEnumType } from 'type-graphql';
import { FEE_WAIVERS, type FeeWaiver } from '../../../src/strategies/operations/resolved-operation';
import { ABOUT_TEN_ITEMS } from '../../schema/costs';
import { namedEnum } from '../../schema/named-enum';
import {
  AddressScalar,
  AmountScalar,
  DateTimeScalar,
  JsonScalar,
  SafeIntScalar,
  UuidScalar,
} from '../../schema/scalars';

const FeeWaiverEnum = namedEnum(FEE_WAIVERS);
registerEnumType(FeeWaiverEnum, {
  name: 'FeeWaiver',
  description: 'Why a fee of a strategy that applies is not charged.',
  valuesConfig: {
    HISTORY_INCOMPLETE: {
      description: 'The history of the position could not be read for ten minutes, and its profit is unknown.',
    },
    HISTORY_TOO_LONG: { description: 'The position has more changes than are read.' },
    HISTORY_UNVALUED: {
      description: 'The node of the chain keeps no old states, which the value of a transfer needs.',
    },
    HISTORY_CONTRADICTED: { description: 'The history contradicts the balance on the chain.' },
    RECIPIENT_BLOCKED: {
      description: 'The recipient of the fee is blocked, or a contract where tokens are lost.',
    },
    RECIPIENT_REFUSED: { description: 'The token refuses the transfer to the recipient of the fee.' },
  },
});

@ObjectType({ simpleResolvers: true, description: 'A transaction for the wallet to sign and send.' })
export class StrategyCall {
  @Field(() => String, { description: 'Id of the chain, as decimal digits.' })
  chainId!: string;

  @Field(() => String, { description: 'Contract to call.' })
  to!: string;

  @Field(() => String, {
    description:
      'Calldata in hexadecimal. Send it unchanged: its last 16 bytes identify the action, except in approvals.',
  })
  data!: string;

  @Field(() => AmountScalar, { description: 'Native coin to send with the call, in wei.' })
  value!: string;

  @Field(() => String, { description: 'Wallet that signs and sends.' })
  from!: string;
}

@ObjectType({ simpleResolvers: true, description: 'An amount of a token.' })
export class OperationAmount {
  @Field(() => AddressScalar, { description: 'Address of the token; the native coin in the form that was requested.' })
  asset!: string;

  @Field(() => String, { description: 'Symbol of the token.' })
  symbol!: string;

  @Field(() => Int, { description: 'Decimals of the token.' })
  decimals!: number;

  @Field(() => AmountScalar, { description: 'Amount in the smallest unit of the token.' })
  value!: string;

  @Field(() => String, { description: 'Amount in whole tokens, as a decimal.' })
  humanized!: string;
}

@ObjectType({
  simpleResolvers: true,
  description: 'The swap before a deposit or after a withdrawal, the transfer from or to another chain, or an order.',
})
export class OperationQuote {
  @Field(() => UuidScalar, {
    description:
      'Id of the quote, as a reference. Only these transactions execute it. `/v2/swap/status/{id}` finds it for a transfer between chains.',
  })
  quoteId!: string;

  @Field(() => String, { description: 'Venue that executes the swap.' })
  provider!: string;

  @Field(() => String, { description: 'The same as `provider`.' })
  bridge!: string;

  @Field(() => AddressScalar, { description: 'Wallet that swaps.' })
  sender!: string;

  @Field(() => String, { description: 'Id of the chain of the token sold.' })
  fromChainId!: string;

  @Field(() => AddressScalar, { description: 'Token sold; the native coin in the form that was requested.' })
  fromTokenAddress!: string;

  @Field(() => String, { description: 'Id of the chain of the token bought.' })
  toChainId!: string;

  @Field(() => AddressScalar, { description: 'Token bought; the native coin in the form that was requested.' })
  toTokenAddress!: string;

  @Field(() => OperationAmount, { description: 'Amount sold.' })
  inputAmount!: OperationAmount;

  @Field(() => OperationAmount, { description: 'Amount that is expected to be bought.' })
  outputAmount!: OperationAmount;

  @Field(() => OperationAmount, { description: 'Least amount bought: otherwise the swap reverts.' })
  minimumOutputAmount!: OperationAmount;

  @Field(() => DateTimeScalar, {
    description: 'Time until which the swap must be mined, or the order may be filled.',
  })
  deadlineDate!: Date;

  @Field(() => Float, { nullable: true, description: 'Orders only: price of the stock in US dollars.' })
  spotPriceUsd?: number | undefined;

  @Field(() => Float, {
    nullable: true,
    description: 'Orders with `priceInUsd` only: the limit price in US dollars.',
  })
  clientLimitPriceUsd?: number | undefined;

  @Field(() => Float, {
    nullable: true,
    description:
      'Orders with `priceInUsd` only: distance of the limit price from the price of the stock, in basis points. Positive above it.',
  })
  distanceBps?: number | undefined;
}

@ObjectType({ simpleResolvers: true, description: 'The chains of an operation.' })
export class OperationChains {
  @Field(() => Boolean, { description: 'True when they differ.' })
  isCrossChain!: boolean;

  @Field(() => SafeIntScalar, { description: 'Chain on which the wallet pays.' })
  chainIdIn!: number;

  @Field(() => SafeIntScalar, { description: 'Chain on which the recipient receives.' })
  chainIdOut!: number;
}

@ObjectType({ simpleResolvers: true, description: 'Result of simulating the transactions on the latest block.' })
export class OperationSimulation {
  @Field(() => String, {
    description: '`SUCCESS`, or `UNAVAILABLE` when the chain cannot simulate transactions.',
  })
  status!: string;

  @Field(() => String, { nullable: true, description: 'Description of the result.' })
  reason!: string | undefined;
}

@ObjectType({
  simpleResolvers: true,
  description:
    'The transactions of a deposit into a strategy, of a withdrawal from it, or of a claim of its rewards. They were simulated on chain before.',
})
export class StrategyTransaction {
  @Field(() => UuidScalar, { description: 'Id of the action.' })
  id!: string;

  @Field(() => String, { description: 'Id of the strategy.' })
  strategyId!: string;

  @Field(() => String, {
    description:
      'Type of the action: `SAMECHAIN_INVESTMENT_DEPOSIT`, `SAMECHAIN_INVESTMENT_WITHDRAW`, `CROSSCHAIN_INVESTMENT_DEPOSIT`, `CROSSCHAIN_INVESTMENT_WITHDRAW` or `REWARD_CLAIM`.',
  })
  type!: string;

  @Field(() => AmountScalar, {
    description: 'Entry fee, or fees on the profit of the withdrawal, in the smallest unit of the underlying asset.',
  })
  feeCharged!: string;

  @Field(() => FeeWaiverEnum, {
    nullable: true,
    description: 'Why a fee that applies is not charged. Null when all are.',
  })
  feeWaiver!: FeeWaiver | null;

  @Field(() => SafeIntScalar, { description: 'Chain on which the wallet pays.' })
  chainIdIn!: number;

  @Field(() => SafeIntScalar, { description: 'Chain on which the recipient receives.' })
  chainIdOut!: number;

  @Field(() => OperationChains, { description: 'The same chains.' })
  crossChain!: OperationChains;

  @Field(() => OperationQuote, {
    nullable: true,
    description:
      'The swap before the deposit or after the withdrawal, the transfer from or to another chain, or the order. Null when there is none.',
  })
  quote!: OperationQuote | null;

  @Field(() => OperationAmount, {
    description: 'What the recipient gets at present: of the receipt token, or of the token withdrawn or claimed.',
  })
  expected!: OperationAmount;

  @Directive(ABOUT_TEN_ITEMS)
  @Field(() => [StrategyCall], {
    description:
      'Transactions in sending order, approvals first. Those of a deposit from another chain move its tokens; request the deposit with `actionId` when they have arrived.',
  })
  transactionData!: readonly StrategyCall[];

  @Directive(ABOUT_TEN_ITEMS)
  @Field(() => [StrategyCall], { description: 'The same as `transactionData`.' })
  bytecode!: readonly StrategyCall[];

  @Field(() => OperationSimulation, { description: 'Result of the simulation.' })
  simulation!: OperationSimulation;

  @Field(() => JsonScalar, {
    nullable: true,
    description: 'All calls as one ERC-4337 user operation to sign. Set only when `output` is `userOperation`.',
  })
  userOperation?: unknown;

  @Field(() => [JsonScalar], {
    nullable: true,
    description:
      'The calls as unsigned bodies for a custody vault, in sending order. Set only when `output` is `custody`.',
  })
  custody?: readonly unknown[];
}
