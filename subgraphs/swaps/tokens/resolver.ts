import { Args, Authorized, Ctx, Directive, FieldResolver, Query, Resolver, Root } from 'type-graphql';
import type { RequestContext } from '../../../src/auth/request-context';
import { formatUsdPrice } from '../../../src/money/usd';
import { findToken, type FindTokenDeps, listTokens } from '../../../src/portfolio/tokens';
import type { MissingPrice } from '../../../src/prices/token-price';
import { HEAVY_OBJECT, PAGE_SIZE, PRICE_HISTORY } from '../../schema/costs';
import { PriceHistoryArgs, TokenArgs, TokensArgs } from './args';
import { MissingPriceEnum } from './enums';
import { createHistoryLoader, createPriceLoader, type TokenPriceDeps } from './loaders';
import { PricePoint, Token, TokenPage, TokenPrice } from './types';

export type TokenResolverDeps = TokenPriceDeps & FindTokenDeps;

@Resolver(() => Token)
export class TokenResolver {
  constructor(private readonly deps: TokenResolverDeps) {}

  /** Returns a token. */
  @Authorized('apiKey', 'read')
  @Query(() => Token, { description: 'Returns a token with its price.' })
  token(@Args(() => TokenArgs) args: TokenArgs): Promise<Token> {
    return findToken(this.deps, args);
  }

  /** Returns the listed tokens of a chain. */
  @Authorized('apiKey', 'read')
  @Directive(PAGE_SIZE)
  @Query(() => TokenPage, { description: 'Returns the tokens that this deployment lists on a chain.' })
  tokens(@Args(() => TokensArgs) args: TokensArgs): TokenPage {
    return listTokens(this.deps, args);
  }

  /** Returns the present price. */
  @FieldResolver(() => TokenPrice, {
    nullable: true,
    description: 'Present price. Null without one: see `missingPriceReason`.',
  })
  async price(@Root() token: Token, @Ctx() context: RequestContext): Promise<TokenPrice | undefined> {
    const { price } = await this.load(token, context);
    return price === undefined ? undefined : { ...price, usd: formatUsdPrice(price.usdE24) };
  }

  /** Returns the reason of a missing price. */
  @Directive(HEAVY_OBJECT)
  @FieldResolver(() => MissingPriceEnum, { nullable: true, description: 'Why there is no price. Null with a price.' })
  async missingPriceReason(@Root() token: Token, @Ctx() context: RequestContext): Promise<MissingPrice | undefined> {
    return (await this.load(token, context)).missing;
  }

  /** Returns the sampled prices of a span of time. */
  @Directive(PRICE_HISTORY)
  @FieldResolver(() => [PricePoint], {
    description:
      'Sampled prices, the oldest first: the last one of every five minutes for a day, of every hour for a month, of every day for ever (unlisted tokens: 400 days). A request may have four different ranges.',
  })
  async priceHistory(
    @Root() token: Token,
    @Args(() => PriceHistoryArgs) { range, limit }: PriceHistoryArgs,
    @Ctx() context: RequestContext,
  ): Promise<readonly PricePoint[]> {
    const history = await context.loader(this.createHistoryLoader).load(token, range, limit);
    return history.map(({ asOf: at, usdE24, ...point }) => ({ ...point, at, usd: formatUsdPrice(usdE24) }));
  }

  private load(token: Token, context: RequestContext) {
    return context.loader(this.createPriceLoader).load(token);
  }

  /** One function for the life of the process: a request finds its loader by it. */
  private readonly createPriceLoader = (context: RequestContext) => createPriceLoader(this.deps, context);
  private readonly createHistoryLoader = () => createHistoryLoader(this.deps);
}
