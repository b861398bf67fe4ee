import { Directive, Arg, Args, Authorized, Ctx, FieldResolver, Query, Resolver, Root } from 'type-graphql';
import { ABOUT_TEN_ITEMS, PAGE_SIZE } from '../schema/costs';
import type { RequestContext } from '../../src/auth/request-context';
import type { BalanceDeps } from '../../src/portfolio/native-balances';
import { listWallets, readWallet, registerWallet, type WalletDeps } from '../../src/portfolio/wallets';
import { mayWrite, requireCustomer } from '../schema/authorization';
import { AddressScalar } from '../schema/scalars';
import { WalletsArgs } from './args';
import { createBalanceLoader } from './loaders';
import { NativeBalance, Wallet, WalletPage } from './types';

export type WalletsDeps = WalletDeps &
  BalanceDeps & { readonly blockedAddresses: ReadonlySet<string>; readonly maxRegisteredWallets: number };

@Resolver(() => Wallet)
export class WalletResolver {
  constructor(private readonly deps: WalletsDeps) {}

  /** Returns a wallet, and registers it for the customer, unless the access token may only read. */
  @Authorized('apiKey', 'read')
  @Query(() => Wallet, {
    description: 'Returns a wallet. The first request for an address registers it for the customer.',
  })
  wallet(
    @Arg('address', () => AddressScalar, { description: 'Address of the wallet.' }) address: string,
    @Ctx() context: RequestContext,
  ): Promise<Wallet> {
    const wallet = { customerId: requireCustomer(context), address };
    return mayWrite(context) ? registerWallet(this.deps, wallet) : readWallet(this.deps, wallet);
  }

  /** Returns the wallets of the customer. */
  @Authorized('apiKey', 'read')
  @Directive(PAGE_SIZE)
  @Query(() => WalletPage, { description: 'Returns the wallets that the customer has queried or used, newest first.' })
  wallets(@Args(() => WalletsArgs) { page, limit }: WalletsArgs, @Ctx() context: RequestContext): Promise<WalletPage> {
    return listWallets(this.deps, { customerId: requireCustomer(context), page, limit });
  }

  /** Returns the native balance on every supported EVM chain. */
  @Directive(ABOUT_TEN_ITEMS)
  @FieldResolver(() => [NativeBalance], { description: 'Native balance on every supported EVM chain.' })
  nativeBalances(@Root() wallet: Wallet, @Ctx() context: RequestContext): Promise<readonly NativeBalance[]> {
    return context.loader(this.createBalanceLoader).load(wallet.address);
  }

  /** One function for the life of the process: a request finds its loader by it. */
  private readonly createBalanceLoader = (context: RequestContext) => createBalanceLoader(this.deps, context);
}
