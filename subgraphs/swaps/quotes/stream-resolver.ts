import { Args, Authorized, Resolver, Root, Subscription } from 'type-graphql';
import type { Principal } from '../../../src/auth/principal';
import type { RequestContext } from '../../../src/auth/request-context';
import type { RawFields } from '../../../src/errors/field-reader';
import { type StreamDeps, type StreamedQuote, streamQuotes } from '../../../src/quotes/stream-quotes';
import { requirePrincipal } from '../../schema/authorization';
import { SwapQuoteArgs } from './args';
import { numericQuote } from './numeric-quote';
import { StreamedSwapQuote } from './stream-types';

export interface QuoteStreamDeps extends StreamDeps {
  /** Counts one more request of the caller. @throws RATE_LIMIT_EXCEEDED */
  readonly countCallerRequest: (principal: Principal) => Promise<void>;
}

/** Declares the arguments of a quote without a method parameter: they are read when the stream starts. */
const takesQuoteArgs: MethodDecorator = (resolver, method) => Args(() => SwapQuoteArgs)(resolver, method, 1);

/**
 * Creates the resolver of streamed quotes. The class is created with its deps, because a subscription starts in a
 * function and not in a method of an instance.
 */
export function quoteSubscriptions(deps: QuoteStreamDeps): object {
  const subscribe = ({
    args: fields,
    context,
  }: {
    readonly args: RawFields;
    readonly context: RequestContext;
  }): Promise<AsyncGenerator<StreamedQuote>> => {
    const principal = requirePrincipal(context, ['apiKey']);
    const countRoundRequest = () => deps.countCallerRequest(principal);
    const { customerId } = principal;
    return streamQuotes(deps, { customerId, fields, countRoundRequest, signal: context.signal });
  };

  @Resolver()
  class QuoteSubscriptions {
    @Authorized('apiKey')
    @Subscription(() => StreamedSwapQuote, {
      subscribe,
      description:
        'Streams the result of each provider that serves the route: its quote, or the reason why it has none. All providers are requested again before the quotes expire, for up to 60 rounds. The stream returns prices only: it builds no transaction and creates no action, even with both addresses. Any of the quotes can be executed with `createSwapTransaction`. Each round counts as one request against the rate limit.',
    })
    @takesQuoteArgs
    swapQuoteStream(@Root() { quote, ...outcome }: StreamedQuote): StreamedSwapQuote {
      return { ...outcome, quote: quote && numericQuote(quote) };
    }
  }
  return new QuoteSubscriptions();
}
