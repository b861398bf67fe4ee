import { Arg, Args, Authorized, Ctx, FieldResolver, Query, Resolver, Root } from 'type-graphql';
import type { RequestContext } from '../../src/auth/request-context';
import type { BalanceDeps } from '../../src/portfolio/native-balances';
import { listWallets, registerWallet, type WalletDeps } from '../../src/portfolio/wallets';
import { requireCustomer } from '../schema/authorization';
import { AddressScalar } from '../schema/scalars';
import { WalletsArgs } from './args';
import { createBalanceLoader } from './loaders';
import { NativeBalance, Wallet, WalletPage } from './types';

export type WalletsDeps = WalletDeps & BalanceDeps;

@Resolver(() => Wallet)
export class WalletResolver {
  constructor(private readonly deps: WalletsDeps) {}

  /** A wallet, which from now on belongs to the customer. */
  @Authorized('apiKey', 'bearer')
  @Query(() => Wallet, { description: 'A wallet. Looking at it registers it to the customer.' })
  wallet(
    @Arg('address', () => AddressScalar, { description: 'Address of the wallet.' }) address: string,
    @Ctx() context: RequestContext,
  ): Promise<Wallet> {
    return registerWallet(this.deps, { customerId: requireCustomer(context), address });
  }

  /** The wallets of the customer. */
  @Authorized('apiKey', 'bearer')
  @Query(() => WalletPage, { description: 'Wallets that the customer has looked at or acted with, the newest first.' })
  wallets(@Args(() => WalletsArgs) { page, limit }: WalletsArgs, @Ctx() context: RequestContext): Promise<WalletPage> {
    return listWallets(this.deps, { customerId: requireCustomer(context), page, limit });
  }

  /** Native coin on every EVM chain that is served. */
  @FieldResolver(() => [NativeBalance], { description: 'Native coin on every EVM chain that is served.' })
  nativeBalances(@Root() wallet: Wallet, @Ctx() context: RequestContext): Promise<readonly NativeBalance[]> {
    return context.loader(this.createBalanceLoader).load(wallet.address);
  }

  /** One function for the life of the process: by it a request finds the loader that it has made. */
  private readonly createBalanceLoader = (context: RequestContext) => createBalanceLoader(this.deps, context);
}
