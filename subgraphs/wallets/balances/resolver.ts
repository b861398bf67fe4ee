import { Args, Authorized, Ctx, Directive, FieldResolver, Mutation, Resolver, Root } from 'type-graphql';
import type { RequestContext } from '../../../src/auth/request-context';
import { assertNotBlocked } from '../../../src/auth/sanctions';
import type { ServiceError } from '../../../src/errors/service-error';
import type { TokenBalanceDeps } from '../../../src/portfolio/balances/balance-deps';
import { type PinDeps, type PinRequest, pinToken, unpinToken } from '../../../src/portfolio/balances/pinned-tokens';
import { visibleBalances } from '../../../src/portfolio/balances/visible-balances';
import { chainsOfWallet } from '../../../src/portfolio/balances/wallet-chains';
import { actorOf, requireCustomer } from '../../schema/authorization';
import { ABOUT_TEN_ITEMS } from '../../schema/costs';
import { Wallet } from '../types';
import { BalancesArgs, PinnedTokenArgs } from './args';
import { createPinnedTokenLoader, createTokenBalanceLoader } from './loaders';
import { ChainBalances, type ChainBalancesError, PinnedToken } from './types';

export type TokenBalancesDeps = TokenBalanceDeps & PinDeps;

@Resolver(() => Wallet)
export class TokenBalanceResolver {
  constructor(private readonly deps: TokenBalancesDeps) {}

  @Directive(ABOUT_TEN_ITEMS)
  @FieldResolver(() => [ChainBalances], {
    description:
      'Balances of the native coin and of tokens: listed ones, those of the actions of the wallet, and pinned ones; on Solana all tokens. A chain that is unavailable does not affect the others.',
  })
  async balances(
    @Root() { address }: Wallet,
    @Args(() => BalancesArgs) { chainIds, includeZero, includeSpam }: BalancesArgs,
    @Ctx() context: RequestContext,
  ): Promise<readonly ChainBalances[]> {
    assertNotBlocked(this.deps.blockedAddresses, [address]);
    const chains = chainsOfWallet(this.deps, address, chainIds);
    const sections = await context.loader(this.createBalanceLoader).load({ address, chains, includeZero });
    return sections.map((section) => {
      const visible = visibleBalances(section, { includeZero, includeSpam });
      return { ...visible, error: failureView(section.error), totalTokens: visible.tokens.length };
    });
  }

  @FieldResolver(() => [PinnedToken], { description: 'The pinned tokens, the latest first; at most 100.' })
  pinnedTokens(@Root() { address }: Wallet, @Ctx() context: RequestContext): Promise<readonly PinnedToken[]> {
    assertNotBlocked(this.deps.blockedAddresses, [address]);
    return context.loader(this.createPinnedLoader).load(address);
  }

  @Authorized('apiKey', 'write')
  @Mutation(() => PinnedToken, {
    description: 'Pins a token to a wallet: it is always among its balances. At most 100 a wallet. Idempotent.',
  })
  pinToken(@Args(() => PinnedTokenArgs) args: PinnedTokenArgs, @Ctx() context: RequestContext): Promise<PinnedToken> {
    return pinToken(this.deps, pinRequest(args, context));
  }

  @Authorized('apiKey', 'write')
  @Mutation(() => Boolean, { description: 'Unpins a token. Returns false when it was not pinned.' })
  unpinToken(@Args(() => PinnedTokenArgs) args: PinnedTokenArgs, @Ctx() context: RequestContext): Promise<boolean> {
    return unpinToken(this.deps, pinRequest(args, context));
  }

  /** One function each for the life of the process: a request finds its loaders by them. */
  private readonly createBalanceLoader = (context: RequestContext) => createTokenBalanceLoader(this.deps, context);
  private readonly createPinnedLoader = (context: RequestContext) => createPinnedTokenLoader(this.deps, context);
}

/** A plain object: an instance of Error as the value of a field would be an error of the response. */
const failureView = (error: ServiceError | undefined): ChainBalancesError | undefined =>
  error === undefined ? undefined : { code: error.code, message: error.message, retryable: error.retryable };

const pinRequest = ({ wallet, chainId, token }: PinnedTokenArgs, context: RequestContext): PinRequest => ({
  customerId: requireCustomer(context),
  wallet,
  chainId,
  token,
  actor: actorOf(context),
});
