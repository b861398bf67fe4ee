import { Args, Authorized, Resolver, Root, Subscription } from 'type-graphql';
import type { Principal } from '../../../src/auth/principal';
import type { RequestContext } from '../../../src/auth/request-context';
import type { RawFields } from '../../../src/quotes/field-reader';
import { type StreamDeps, type StreamedQuote, streamQuotes } from '../../../src/quotes/stream-quotes';
import { requirePrincipal } from '../../schema/authorization';
import { SwapQuoteArgs } from './args';
import { StreamedSwapQuote } from './stream-types';

export interface QuoteStreamDeps extends StreamDeps {
  /** Charges a caller for one more request. @throws RATE_LIMIT_EXCEEDED */
  readonly chargeCaller: (principal: Principal) => Promise<void>;
}

/** Declares the arguments of a quote without a parameter for them: they are read when the stream begins. */
const takesQuoteArgs: MethodDecorator = (resolver, method) => Args(() => SwapQuoteArgs)(resolver, method, 1);

interface Subscribing {
  readonly args: RawFields;
  readonly context: RequestContext;
}

/**
 * The resolver of quotes as they come. Its class is made with its deps: what starts a subscription is no method of an
 * instance.
 */
export function quoteSubscriptions(deps: QuoteStreamDeps): object {
  const subscribe = ({ args: fields, context }: Subscribing): Promise<AsyncGenerator<StreamedQuote>> => {
    const principal = requirePrincipal(context, ['apiKey']);
    const payRound = () => deps.chargeCaller(principal);
    const { customerId } = principal;
    return streamQuotes(deps, { customerId, fields, payRound, signal: context.signal });
  };

  @Resolver()
  class QuoteSubscriptions {
    @Authorized('apiKey')
    @Subscription(() => StreamedSwapQuote, {
      subscribe,
      description:
        'The quote of each provider that serves the route, or why it has none, as it comes; all are asked again before the quotes end, up to 60 times. Prices alone: with both addresses the quotes are for them, and still nothing is built and no action is made. Any of the quotes can be executed with `createSwapTransaction`. Each round counts as one request against the rate limit.',
    })
    @takesQuoteArgs
    swapQuoteStream(@Root() quote: StreamedSwapQuote): StreamedSwapQuote {
      return quote;
    }
  }
  return new QuoteSubscriptions();
}
