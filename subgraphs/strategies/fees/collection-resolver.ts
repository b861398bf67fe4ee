import { Args, Authorized, Ctx, Directive, FieldResolver, Mutation, Resolver, Root } from 'type-graphql';
import type { RequestContext } from '../../../src/auth/request-context';
import {
  type CollectionRunPage as CollectionRunPageView,
  listCollectionRuns,
  type RecurringCollectionView,
} from '../../../src/strategies/collection/collection-view';
import {
  enrolWallet,
  type WalletEnrolment as WalletEnrolmentView,
} from '../../../src/strategies/collection/enrol-wallet';
import {
  rotateCollectionRecipients,
  type SetCollectionDeps,
  setRecurringCollection,
} from '../../../src/strategies/collection/set-recurring-collection';
import type { CustomerStrategyView } from '../../../src/strategies/fees/customer-strategies';
import { actorOf, requireActor, requireCustomer } from '../../schema/authorization';
import { PAGE_SIZE } from '../../schema/costs';
import {
  CollectionRecipientsArgs,
  CollectionRunPage,
  CollectionRunsArgs,
  EnrolWalletArgs,
  RecurringCollection,
  RecurringCollectionArgs,
  WalletEnrolment,
} from './collection-types';
import { CustomerStrategy } from './types';

@Resolver()
export class CollectionResolver {
  constructor(private readonly deps: SetCollectionDeps) {}

  @Authorized('fees:write')
  @Mutation(() => CustomerStrategy, {
    description:
      'Turns the recurring collection of fees on profit on or off, or pauses it. Its state is `PENDING` until the chain has confirmed the change. Roles: admin, owner, developer.',
  })
  setRecurringCollection(
    @Args(() => RecurringCollectionArgs) { strategyId, state, intervalDays }: RecurringCollectionArgs,
    @Ctx() context: RequestContext,
  ): Promise<CustomerStrategyView> {
    return setRecurringCollection(this.deps, requireActor(context), { strategyId, state, intervalDays });
  }

  @Authorized('fees:write')
  @Mutation(() => CustomerStrategy, {
    description:
      'Replaces the recipients of the fees on a strategy, at withdrawals and in collections. Refused while a run is `DISPATCHED` or `UNKNOWN`. Roles: admin, owner, developer.',
  })
  rotateCollectionRecipients(
    @Args(() => CollectionRecipientsArgs) { strategyId, feeCollector, markupRecipient }: CollectionRecipientsArgs,
    @Ctx() context: RequestContext,
  ): Promise<CustomerStrategyView> {
    const change = { strategyId, feeCollector, markupRecipient };
    return rotateCollectionRecipients(this.deps, requireActor(context), change);
  }

  @Authorized('apiKey', 'write')
  @Mutation(() => WalletEnrolment, {
    description:
      'Enrols a wallet in the recurring collection of fees on profit. Nothing is taken before the wallet has sent the returned calls itself.',
  })
  enrolWallet(
    @Args(() => EnrolWalletArgs) { strategyId, wallet }: EnrolWalletArgs,
    @Ctx() context: RequestContext,
  ): Promise<WalletEnrolmentView> {
    const customerId = requireCustomer(context);
    return enrolWallet(this.deps, { customerId, actor: actorOf(context), strategyId, wallet });
  }
}

@Resolver(() => RecurringCollection)
export class RecurringCollectionResolver {
  constructor(private readonly deps: SetCollectionDeps) {}

  @Directive(PAGE_SIZE)
  @FieldResolver(() => CollectionRunPage, { description: 'The runs, the newest first.' })
  runs(
    @Root() { strategyId }: RecurringCollectionView,
    @Args(() => CollectionRunsArgs) { page, limit }: CollectionRunsArgs,
    @Ctx() context: RequestContext,
  ): Promise<CollectionRunPageView> {
    const customerId = requireCustomer(context);
    return listCollectionRuns(this.deps, { customerId, strategyId }, { page, limit });
  }
}
