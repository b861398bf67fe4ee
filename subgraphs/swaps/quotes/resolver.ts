import { Directive, Args, Authorized, Ctx, Query, Resolver } from 'type-graphql';
import { ABOUT_TEN_ITEMS } from '../../schema/costs';
import type { RequestContext } from '../../../src/auth/request-context';
import { swapQuotes, type SwapQuotesDeps } from '../../../src/quotes/swap-quotes';
import { requestSwapQuote, type SwapQuoteDeps } from '../../../src/transactions/request-swap-quote';
import { requireCustomer } from '../../schema/authorization';
import { SwapQuoteArgs } from './args';
import { numericQuote } from './numeric-quote';
import { ProviderQuoteOutcome, SwapQuoteResult } from './types';

export type SwapQuoteResolverDeps = SwapQuoteDeps & SwapQuotesDeps;

@Resolver()
export class SwapQuoteResolver {
  constructor(private readonly deps: SwapQuoteResolverDeps) {}

  @Authorized('apiKey')
  @Query(() => SwapQuoteResult, {
    description:
      'Returns the best quote of all providers. With both addresses it also creates the action and its transactions.',
  })
  async swapQuote(
    @Args(() => SwapQuoteArgs) { ...fields }: SwapQuoteArgs,
    @Ctx() context: RequestContext,
  ): Promise<SwapQuoteResult> {
    const customerId = requireCustomer(context);
    const result = await requestSwapQuote(this.deps, { customerId, fields, signal: context.signal });
    return { ...result, quote: numericQuote(result.quote) };
  }

  @Authorized('apiKey')
  @Directive(ABOUT_TEN_ITEMS)
  @Query(() => [ProviderQuoteOutcome], {
    description:
      'Returns the result of every provider that serves the route: its quote, or the reason why it has none. Any of the quotes can be executed with `createSwapTransaction`.',
  })
  async swapQuotes(
    @Args(() => SwapQuoteArgs) { ...fields }: SwapQuoteArgs,
    @Ctx() context: RequestContext,
  ): Promise<readonly ProviderQuoteOutcome[]> {
    const outcomes = await swapQuotes(this.deps, { customerId: requireCustomer(context), fields });
    return outcomes.map(({ quote, ...outcome }) => ({ ...outcome, quote: quote && numericQuote(quote) }));
  }
}
