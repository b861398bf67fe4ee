import { Arg, Args, Authorized, Ctx, Directive, Mutation, Query, Resolver } from 'type-graphql';
import type { RequestContext } from '../../../src/auth/request-context';
import {
  type CustomerStrategyView,
  findCustomerStrategy,
  listCustomerStrategies,
} from '../../../src/strategies/fees/customer-strategies';
import { type SetFeesDeps, setStrategyFees } from '../../../src/strategies/fees/set-strategy-fees';
import { requireActor } from '../../schema/authorization';
import { ABOUT_TEN_ITEMS } from '../../schema/costs';
import { CustomerStrategy, StrategyFeesArgs } from './types';

const ID = { description: 'Id, slug or alias of the strategy, in any case.' };

@Resolver()
export class StrategyFeeResolver {
  constructor(private readonly deps: SetFeesDeps) {}

  @Authorized('read')
  @Directive(ABOUT_TEN_ITEMS)
  @Query(() => [CustomerStrategy], {
    description: 'Returns the strategies for which the customer set fees. Requires a Bearer token.',
  })
  customerStrategies(@Ctx() context: RequestContext): Promise<readonly CustomerStrategyView[]> {
    return listCustomerStrategies(this.deps, requireActor(context).customerId);
  }

  @Authorized('read')
  @Query(() => CustomerStrategy, {
    description: 'Returns the fees that the customer set for a strategy. Requires a Bearer token.',
  })
  customerStrategy(
    @Arg('strategyId', () => String, ID) strategyId: string,
    @Ctx() context: RequestContext,
  ): Promise<CustomerStrategyView> {
    return findCustomerStrategy(this.deps, { customerId: requireActor(context).customerId, strategyId });
  }

  @Authorized('fees:write')
  @Mutation(() => CustomerStrategy, {
    description:
      'Sets the fees of the customer for a strategy. Higher fees on profit apply when they are activated, and profit until then is free; all others apply at once. Roles: admin, owner, developer.',
  })
  setStrategyFees(
    @Args(() => StrategyFeesArgs)
    { strategyId, entryFeeBps, performanceFeeBps, markupFeeBps, feeCollector, markupRecipient }: StrategyFeesArgs,
    @Ctx() context: RequestContext,
  ): Promise<CustomerStrategyView> {
    const given = { entryFeeBps, performanceFeeBps, markupFeeBps, feeCollector, markupRecipient };
    return setStrategyFees(this.deps, requireActor(context), { strategyId, ...given });
  }
}
