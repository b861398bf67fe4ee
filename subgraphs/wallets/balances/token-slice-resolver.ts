import { Args, Directive, FieldResolver, Resolver, Root } from 'type-graphql';
import { sliceTokens, type VisibleBalances } from '../../../src/portfolio/balances/visible-balances';
import { UP_TO_LIMIT_TOKENS } from '../../schema/costs';
import { TokenSliceArgs } from './args';
import { ChainBalances, TokenBalance } from './types';

@Resolver(() => ChainBalances)
export class TokenSliceResolver {
  @Directive(UP_TO_LIMIT_TOKENS)
  @FieldResolver(() => [TokenBalance], {
    description: 'The native coin, then pinned, then listed tokens, then the others.',
  })
  tokens(
    @Root() { tokens }: VisibleBalances,
    @Args(() => TokenSliceArgs) slice: TokenSliceArgs,
  ): readonly TokenBalance[] {
    return sliceTokens(tokens, slice);
  }
}
