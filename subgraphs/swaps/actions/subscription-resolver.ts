import { Arg, Authorized, Resolver, Root, Subscription } from 'type-graphql';
import { watchAction, type WatchDeps } from '../../../src/actions/watch-action';
import type { RequestContext } from '../../../src/auth/request-context';
import { invariant } from '../../../src/errors/invariant-error';
import { requireCustomer } from '../../schema/authorization';
import { UuidScalar } from '../../schema/scalars';
import { Action } from './types';

interface Subscribing {
  readonly args: { readonly id: string };
  readonly context: RequestContext;
}

/**
 * The resolver of what is told of actions as it happens. Its class is made with its deps: what starts a subscription is
 * no method of an instance.
 */
export function actionSubscriptions(deps: WatchDeps): object {
  const subscribe = ({ args, context }: Subscribing): Promise<AsyncGenerator<Action>> =>
    watchAction(deps, { customerId: requireCustomer(context), actionId: args.id, signal: context.signal });

  @Resolver()
  class ActionSubscriptions {
    /** An action, now and whenever it changes. */
    @Authorized('apiKey', 'bearer')
    @Subscription(() => Action, {
      subscribe,
      description: 'The action as it is now, and again whenever it has changed, until it has ended.',
    })
    actionChanged(
      @Root() action: Action,
      @Arg('id', () => UuidScalar, { description: 'Id of the action.' }) id: string,
    ): Action {
      invariant(action.id === id, 'a watch told of another action');
      return action;
    }
  }
  return new ActionSubscriptions();
}
