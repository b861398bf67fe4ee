import { Arg, Authorized, Resolver, Root, Subscription } from 'type-graphql';
import { watchAction, type WatchDeps } from '../../../src/actions/watch-action';
import type { RequestContext } from '../../../src/auth/request-context';
import { invariant } from '../../../src/errors/invariant-error';
import { requireCustomer } from '../../schema/authorization';
import { UuidScalar } from '../../schema/scalars';
import { Action } from './types';

/**
 * Creates the resolver of action updates. The class is created with its deps, because a subscription starts in a
 * function and not in a method of an instance.
 */
export function actionSubscriptions(deps: WatchDeps): object {
  const subscribe = ({
    args,
    context,
  }: {
    readonly args: { readonly id: string };
    readonly context: RequestContext;
  }): Promise<AsyncGenerator<Action>> =>
    watchAction(deps, { customerId: requireCustomer(context), actionId: args.id, signal: context.signal });

  @Resolver()
  class ActionSubscriptions {
    /** Streams an action, now and after each change. */
    @Authorized('apiKey', 'read')
    @Subscription(() => Action, {
      subscribe,
      description: 'Streams the action: its current state, then each change until it has ended.',
    })
    actionChanged(
      @Root() action: Action,
      @Arg('id', () => UuidScalar, { description: 'Id of the action.' }) id: string,
    ): Action {
      invariant(action.id === id, 'the event belongs to another action');
      return action;
    }
  }
  return new ActionSubscriptions();
}
