import { Directive, Field, Float, ObjectType } from 'type-graphql';
import type { SpamAssessment as Assessment } from '../../../src/portfolio/balances/spam-score';
import { ABOUT_FIFTY_ITEMS, ALL_CHAINS } from '../../schema/costs';
import { PageInfo } from '../../schema/pagination';
import { AmountScalar, DateTimeScalar, SafeIntScalar } from '../../schema/scalars';
import { SpamAssessment } from '../balances/types';

@ObjectType({ simpleResolvers: true, description: 'A token that a wallet holds.' })
export class TokenPosition {
  @Field(() => String, { description: 'Stable id: `<chainId>:<address>`, for SOL `<chainId>:native`.' })
  id!: string;

  @Field(() => SafeIntScalar, { description: 'Id of the chain.' })
  chainId!: number;

  @Field(() => String, {
    description:
      'Address of the token. 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE for the native coin of an EVM chain, the mint of wrapped SOL for SOL.',
  })
  address!: string;

  @Field(() => String, { description: 'Symbol, without hidden characters. An abbreviated address when there is none.' })
  symbol!: string;

  @Field(() => String, { description: 'Name, without hidden characters.' })
  name!: string;

  @Field(() => SafeIntScalar, {
    nullable: true,
    description: 'Null when the token has none, or they could not be read.',
  })
  decimals!: number | undefined;

  @Field(() => String, { nullable: true, description: 'Logo of a listed token.' })
  logoURI!: string | undefined;

  @Field(() => AmountScalar, { description: "Amount in the token's smallest unit." })
  amount!: bigint;

  @Field(() => String, { nullable: true, description: 'Amount as an exact decimal. Null without decimals.' })
  humanized!: string | undefined;

  @Field(() => Float, {
    nullable: true,
    description: 'US dollars for one whole token, rounded to the nearest number. Null without a price.',
  })
  price!: number | undefined;

  @Field(() => String, {
    nullable: true,
    description: 'Value in US dollars as an exact decimal, rounded down to millionths. Null without a price.',
  })
  amountInUSD!: string | undefined;

  @Field(() => String, {
    nullable: true,
    description: 'Value in Brazilian reais as an exact decimal, rounded down to millionths. Null without prices.',
  })
  amountInBRL!: string | undefined;

  @Field(() => Boolean, {
    nullable: true,
    description: 'True when two independent fresh sources agree on the price. Null without a price.',
  })
  isPriceConfirmed!: boolean | undefined;

  @Field(() => Boolean, {
    description:
      'True when the amount is the one that was read last, since the chain is unavailable or newer tokens could not be read in time, or when the newest block of the chain is more than two minutes old.',
  })
  stale!: boolean;

  @Field(() => DateTimeScalar, { description: 'Time of the block at which the amount was read, by the chain.' })
  asOf!: Date;

  @Field(() => Boolean, { description: 'True for the native coin.' })
  isNative!: boolean;

  @Field(() => Boolean, { description: 'True for native coins and for tokens that the deployment lists.' })
  isListed!: boolean;

  @Field(() => Boolean, { description: 'True for tokens that the customer has pinned to the wallet.' })
  isPinned!: boolean;

  @Field(() => SpamAssessment, { description: 'How much the token looks like spam.' })
  spam!: Assessment;
}

@ObjectType({ simpleResolvers: true, description: 'A position in a connection.' })
export class TokenPositionEdge {
  @Field(() => String, { description: 'Place of the position, for the argument `after`.' })
  cursor!: string;

  @Field(() => TokenPosition, { description: 'The position.' })
  node!: TokenPosition;
}

@ObjectType({ simpleResolvers: true, description: 'Positions after a cursor.' })
export class TokenPositionConnection {
  @Field(() => [TokenPositionEdge], { description: 'The positions with their cursors.' })
  edges!: readonly TokenPositionEdge[];

  @Field(() => [TokenPosition], { description: 'The positions without their cursors.' })
  nodes!: readonly TokenPosition[];

  @Field(() => PageInfo, { description: 'What precedes and follows these positions.' })
  pageInfo!: PageInfo;

  @Field(() => SafeIntScalar, { description: 'Number of positions in the whole list.' })
  totalCount!: number;
}

@ObjectType({ simpleResolvers: true, description: 'Totals of the tokens of a wallet.' })
export class WalletTokensSummary {
  @Field(() => String, {
    description: 'Sum of the values in US dollars, as an exact decimal. Tokens without a price and spam do not count.',
  })
  totalAmountInUSD!: string;

  @Field(() => String, {
    nullable: true,
    description: 'Sum of the values in Brazilian reais, as an exact decimal. Null without a price of the real.',
  })
  totalAmountInBRL!: string | undefined;
}

@ObjectType({ simpleResolvers: true, description: 'How old the positions are.' })
export class WalletTokensStaleness {
  @Field(() => SafeIntScalar, { description: 'Number of positions that are stale. Spam does not count.' })
  stalePositions!: number;

  @Field(() => DateTimeScalar, {
    nullable: true,
    description: 'Earliest `asOf` of the positions. Null without positions. Spam does not count.',
  })
  oldestAsOf!: Date | undefined;
}

@ObjectType({ simpleResolvers: true, description: 'A chain, or a token of it, whose balance or value is missing.' })
export class WalletTokensError {
  @Field(() => String, {
    description:
      'For a chain the code of its error, such as `PROVIDER_UNAVAILABLE`; for a token `BALANCE_` and the `BalanceProblem`, such as `BALANCE_NOT_READ`. A listed or pinned token that the total lacks has `PRICE_MISSING`, or `PRICE_NOT_REQUESTED` when the request has too many tokens.',
  })
  code!: string;

  @Field(() => String, { description: 'Text for people; it may change.' })
  message!: string;

  @Field(() => SafeIntScalar, { description: 'Id of the chain.' })
  chainId!: number;

  @Field(() => String, { nullable: true, description: 'Address of the token. Null for the whole chain.' })
  address!: string | undefined;
}

@ObjectType({ simpleResolvers: true, description: 'The tokens of a wallet on all chains, with their values.' })
@Directive(ALL_CHAINS)
export class WalletTokens {
  @Directive(ABOUT_FIFTY_ITEMS)
  @Field(() => [TokenPosition], {
    description: 'All tokens that the wallet holds: the most valuable first, then those without a value.',
  })
  positions!: readonly TokenPosition[];

  @Field(() => WalletTokensSummary, { description: 'Totals.' })
  summary!: WalletTokensSummary;

  @Field(() => WalletTokensStaleness, { description: 'How old the positions are.' })
  staleness!: WalletTokensStaleness;

  @Field(() => [WalletTokensError], {
    description: 'Chains and tokens whose balances are missing, at most 100. The other positions are complete.',
  })
  errors!: readonly WalletTokensError[];

  @Field(() => Boolean, { description: 'True when the wallet may hold tokens that were not read.' })
  isTruncated!: boolean;

  @Field(() => DateTimeScalar, { description: 'Time at which the tokens were read and valued.' })
  computedAt!: Date;

  @Field(() => Boolean, {
    description: 'True when these are the last known tokens: newer ones are being read, or could not be read.',
  })
  isStale!: boolean;
}
