import { Arg, Authorized, Directive, Resolver, Root, Subscription } from 'type-graphql';
import type { RequestContext } from '../../../src/auth/request-context';
import { invariant } from '../../../src/errors/invariant-error';
import { type RateView, watchRates, type WatchRatesDeps } from '../../../src/strategies/views/watch-rates';
import { requireCustomer } from '../../schema/authorization';
import { ABOUT_FIFTY_ITEMS } from '../../schema/costs';
import { StrategyRate } from './types';

/**
 * Creates the resolver of rates. The class is created with its deps, because a subscription starts in a function and not in a
 * method of an instance.
 */
export function rateSubscriptions(deps: WatchRatesDeps): object {
  const subscribe = ({
    args: { strategyIds },
    context,
  }: {
    readonly args: { readonly strategyIds: readonly string[] };
    readonly context: RequestContext;
  }): Promise<AsyncGenerator<readonly RateView[]>> =>
    watchRates(deps, { customerId: requireCustomer(context), strategyIds, signal: context.signal });

  @Resolver()
  class RateSubscriptions {
    /** Streams the rates of strategies. */
    @Authorized('apiKey', 'read')
    @Directive(ABOUT_FIFTY_ITEMS)
    @Subscription(() => [StrategyRate], {
      subscribe,
      description:
        'Streams the rates of up to 100 strategies: first all of them, then those that a reading of their markets has changed, about every five minutes, and those whose `flags` the time has changed. Rates are without the fees of the customer.',
    })
    strategyRates(
      @Root() rates: readonly StrategyRate[],
      @Arg('strategyIds', () => [String], { description: 'Ids, slugs or aliases of strategies.' })
      strategyIds: readonly string[],
    ): readonly StrategyRate[] {
      invariant(rates.length <= strategyIds.length, 'an event has other strategies');
      return rates;
    }
  }
  return new RateSubscriptions();
}
