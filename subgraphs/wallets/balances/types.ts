import { Directive, Field, ObjectType, registerEnumType } from 'type-graphql';
import { BALANCE_PROBLEMS, type BalanceProblem } from '../../../src/portfolio/balances/holding';
import { SPAM_REASONS, type SpamReason } from '../../../src/portfolio/balances/spam-score';
import { HEAVY_OBJECT } from '../../schema/costs';
import { AmountScalar, DateTimeScalar, SafeIntScalar } from '../../schema/scalars';

/** Builds an enum: type-graphql takes enums as objects. */
const named = <Name extends string>(names: readonly Name[]): Readonly<Record<Name, Name>> =>
  Object.fromEntries(names.map((name) => [name, name])) as Record<Name, Name>;

const BalanceProblemEnum = named(BALANCE_PROBLEMS);
registerEnumType(BalanceProblemEnum, {
  name: 'BalanceProblem',
  description: 'Why the balance of a token is missing.',
  valuesConfig: {
    REVERTED: { description: 'The contract rejected the call, or used up its gas.' },
    INVALID_DATA: { description: 'The contract did not return a number from 0 to 2^256 - 1, or there is no contract.' },
    NOT_READ: {
      description: 'Other tokens used up the calls of this request, or the node did not respond. Retry later.',
    },
    QUARANTINED: {
      description: 'The contract made calls fail repeatedly. It is not read for an hour, or longer after each failure.',
    },
  },
});

const SpamReasonEnum = named(SPAM_REASONS);
registerEnumType(SpamReasonEnum, {
  name: 'SpamReason',
  description: 'A sign of spam.',
  valuesConfig: {
    NO_METADATA: { description: 'The contract has no symbol, name and decimals.' },
    URL: { description: 'A web address, or an invitation to visit one, in the name or symbol.' },
    DOMAIN: { description: 'A domain in the name or symbol.' },
    LURE: { description: 'The name or symbol promises something: claim, airdrop, rewards.' },
    HIDDEN_CHARACTERS: {
      description: 'The name or symbol has characters that hide or reorder others. They are removed.',
    },
    CONFUSABLE_SYMBOL: { description: 'The symbol looks like that of a listed token, in other characters.' },
    LISTED_SYMBOL: { description: 'The symbol is that of a listed token of the chain.' },
    NO_SYMBOL: { description: 'The symbol is empty. The name or the address stands in its place.' },
    LONG_SYMBOL: { description: 'The symbol has more than 15 characters.' },
    NO_NAME: { description: 'The name is empty. The symbol or the address stands in its place.' },
    NO_DECIMALS: { description: 'The token has 0 decimals.' },
    UNCHECKED: { description: 'The metadata could not be read in time. Retry later.' },
  },
});

@ObjectType({ simpleResolvers: true, description: 'How much a token looks like spam, and why.' })
export class SpamAssessment {
  @Field(() => SafeIntScalar, { description: 'From 0 to 100. 0 for listed tokens.' })
  score!: number;

  @Field(() => Boolean, { description: 'True when the score is 50 or more.' })
  isSpam!: boolean;

  @Field(() => [SpamReasonEnum], { description: 'The signs that the score adds up.' })
  reasons!: readonly SpamReason[];
}

@ObjectType({ simpleResolvers: true, description: 'Balance of a token in a wallet.' })
export class TokenBalance {
  @Field(() => SafeIntScalar, { description: 'Id of the chain.' })
  chainId!: number;

  @Field(() => String, {
    description:
      'Address of the token. 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE for the native coin of an EVM chain, the mint of wrapped SOL for SOL.',
  })
  address!: string;

  @Field(() => Boolean, { description: 'True for the native coin.' })
  isNative!: boolean;

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

  @Field(() => Boolean, { description: 'True for native coins and for tokens that the deployment lists.' })
  isListed!: boolean;

  @Field(() => Boolean, { description: 'True for tokens that the customer has pinned to the wallet.' })
  isPinned!: boolean;

  @Field(() => AmountScalar, { nullable: true, description: 'Null exactly when there is a problem.' })
  amount!: bigint | undefined;

  @Field(() => String, {
    nullable: true,
    description: 'Amount as an exact decimal. Null without an amount or decimals.',
  })
  humanized!: string | undefined;

  @Field(() => BalanceProblemEnum, { nullable: true, description: 'Why the amount is missing.' })
  problem!: BalanceProblem | undefined;

  @Field(() => SpamAssessment, { description: 'How much the token looks like spam.' })
  spam!: SpamAssessment;
}

@ObjectType({ simpleResolvers: true, description: 'The block of balances.' })
export class BalanceBlock {
  @Field(() => SafeIntScalar, { description: 'Number of the block; the slot on Solana.' })
  blockNumber!: bigint;

  @Field(() => DateTimeScalar, { description: 'Time of the block, by the chain.' })
  time!: Date;
}

@ObjectType({ simpleResolvers: true, description: 'Why a chain could not be read.' })
export class ChainBalancesError {
  @Field(() => String, { description: 'Code of the error, as in `errors[].extensions.code`.' })
  code!: string;

  @Field(() => String, { description: 'Text for people; it may change.' })
  message!: string;

  @Field(() => Boolean, { description: 'True when the same request may succeed later.' })
  retryable!: boolean;
}

@ObjectType({ simpleResolvers: true, description: 'Balances of a wallet on one chain.' })
@Directive(HEAVY_OBJECT)
export class ChainBalances {
  @Field(() => SafeIntScalar, { description: 'Id of the chain.' })
  chainId!: number;

  @Field(() => String, { description: 'Slug of the chain.' })
  chain!: string;

  @Field(() => BalanceBlock, {
    nullable: true,
    description: 'The block of all balances; on Solana no balance is older than this slot. Null when there are none.',
  })
  asOf!: BalanceBlock | undefined;

  @Field(() => Boolean, {
    description:
      'True when the chain is unavailable, and the balances are those that were read last, or when its newest block is more than two minutes old.',
  })
  isStale!: boolean;

  @Field(() => SafeIntScalar, { nullable: true, description: 'Seconds since the block of the balances.' })
  ageSeconds!: number | undefined;

  @Field(() => ChainBalancesError, {
    nullable: true,
    description: 'Why the chain could not be read. Null when it was.',
  })
  error!: ChainBalancesError | undefined;

  @Field(() => Boolean, { description: 'True when the wallet may hold tokens that were not read.' })
  isTruncated!: boolean;

  @Field(() => SafeIntScalar, { description: 'Number of tokens that are left out because they look like spam.' })
  hiddenSpam!: number;

  @Field(() => SafeIntScalar, { description: 'Number of tokens in `tokens`, whatever its `limit`.' })
  totalTokens!: number;
}

@ObjectType({ simpleResolvers: true, description: 'A token that is always among the balances of a wallet.' })
export class PinnedToken {
  @Field(() => SafeIntScalar, { description: 'Id of the chain.' })
  chainId!: number;

  @Field(() => String, { description: 'Address of the token.' })
  token!: string;

  @Field(() => DateTimeScalar, { description: 'Time at which the customer pinned the token.' })
  pinnedAt!: Date;
}
