import { ArgsType, Field } from 'type-graphql';
import { AmountScalar, ChainNameScalar, DecimalFractionScalar, SafeIntScalar, UrlScalar } from '../../schema/scalars';
import { StrategyOutput } from './enums';

/**
 * Arguments of an operation: exactly the parameters of `GET /strategies/{id}/bytecode`. The domain checks required fields, so
 * that all problems are reported at once.
 */
@ArgsType()
export class StrategyTransactionArgs {
  @Field(() => String, { description: 'Id, slug or alias of the strategy, in any case.' })
  id!: string;

  @Field(() => String, {
    nullable: true,
    description:
      'Required. One of the `availableActions` of the strategy: `lend`, `withdraw` or `claim`; `request-lend` or `request-withdraw` for tokenized stocks and for asynchronous vaults, whose `lend` and `withdraw` claim them.',
  })
  action?: string;

  @Field(() => String, {
    nullable: true,
    description:
      'Deposits only: action whose tokens have arrived from another chain. The result has the transactions that deposit them. Only `action`, `wallet`, `output` and `accountId` may be given with it.',
  })
  actionId?: string;

  @Field(() => String, { nullable: true, description: 'Required. Wallet that signs and sends.' })
  wallet?: string;

  @Field(() => String, {
    nullable: true,
    description:
      'Amount in the smallest unit of the underlying asset, or of `fromTokenAddress` if that is given. `max` withdraws everything, or claims all of a requested deposit. Required, unless `amountInShares` is given. Not for claims, which take all of a reward.',
  })
  amount?: string;

  @Field(() => AmountScalar, {
    nullable: true,
    description: 'Withdrawals only: amount in shares, in place of `amount`.',
  })
  amountInShares?: string;

  @Field(() => ChainNameScalar, {
    nullable: true,
    description:
      'Chain of `fromTokenAddress`. Required with it. The tokens of another EVM chain are moved to the chain of the strategy first.',
  })
  fromChainId?: string | number;

  @Field(() => ChainNameScalar, { nullable: true, description: 'Other name of `fromChainId`.' })
  chainIdIn?: string | number;

  @Field(() => String, {
    nullable: true,
    description: 'Deposits only: token that is swapped into the underlying asset first.',
  })
  fromTokenAddress?: string;

  @Field(() => ChainNameScalar, {
    nullable: true,
    description: 'Chain of `toTokenAddress`: an EVM chain. Default: the chain of the strategy.',
  })
  toChainId?: string | number;

  @Field(() => ChainNameScalar, { nullable: true, description: 'Other name of `toChainId`.' })
  chainIdOut?: string | number;

  @Field(() => String, {
    nullable: true,
    description:
      'Withdrawals: token into which the underlying asset is swapped, or moved to another chain, afterwards. Claims: token of the reward, required when several can be claimed.',
  })
  toTokenAddress?: string;

  @Field(() => String, {
    nullable: true,
    description: 'Wallet that owns the deposit, or receives what is withdrawn. Default: `wallet`.',
  })
  destinationAddress?: string;

  @Field(() => DecimalFractionScalar, {
    nullable: true,
    description: 'Slippage tolerance of the swap as a fraction, from 0.0001 to 0.5. Default 0.005.',
  })
  slippage?: string;

  @Field(() => StrategyOutput, { nullable: true, description: 'Form of the transactions. Default `bytecode`.' })
  output?: string;

  @Field(() => String, {
    nullable: true,
    description: 'Account of the custody vault. Required when `output` is `custody`.',
  })
  accountId?: string;

  @Field(() => SafeIntScalar, {
    nullable: true,
    description: 'Tokenized stocks only: limit price of the order in US cents. By default the price of the market.',
  })
  priceInUsd?: number;

  @Field(() => SafeIntScalar, {
    nullable: true,
    description:
      'Tokenized stocks only: expiry of the order in Unix seconds, from 5 minutes to 30 days ahead. Default: an hour, or a day with `priceInUsd`.',
  })
  expireAt?: number;

  @Field(() => UrlScalar, {
    nullable: true,
    description:
      'URL that receives the events of this action, in place of the customer’s. Must be public and use https.',
  })
  webhookURL?: string;
}

@ArgsType()
export class PendingActionsArgs {
  @Field(() => String, { description: 'Id, slug or alias of the strategy, in any case.' })
  id!: string;

  @Field(() => String, { nullable: true, description: 'Required. Wallet with which the actions were created.' })
  wallet?: string;
}
