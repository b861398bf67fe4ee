import { ArgsType, Field, Int } from 'type-graphql';
import { AddressScalar, SafeIntScalar } from '../../schema/scalars';

@ArgsType()
export class BalancesArgs {
  @Field(() => [SafeIntScalar], {
    nullable: true,
    description: 'Ids of the chains, at most 50. Default: every chain of the deployment with addresses of this form.',
  })
  chainIds?: number[] | null;

  @Field(() => Boolean, { defaultValue: false, description: 'Whether to return tokens that the wallet does not hold.' })
  includeZero!: boolean;

  @Field(() => Boolean, { defaultValue: false, description: 'Whether to return tokens that look like spam.' })
  includeSpam!: boolean;
}

@ArgsType()
export class TokenSliceArgs {
  @Field(() => Int, { nullable: true, description: 'Number of tokens, 1 to 500. Default 50.' })
  limit?: number | null;

  @Field(() => Int, { nullable: true, description: 'Number of tokens to skip, 0 to 10,000. Default 0.' })
  offset?: number | null;
}

@ArgsType()
export class PinnedTokenArgs {
  @Field(() => AddressScalar, { description: 'Address of the wallet.' })
  wallet!: string;

  @Field(() => SafeIntScalar, { description: 'Id of an EVM or Solana chain.' })
  chainId!: number;

  @Field(() => String, { description: 'Address of the token contract, or of the mint on Solana.' })
  token!: string;
}
