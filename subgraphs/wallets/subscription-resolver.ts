import { Arg, Authorized, Resolver, Root, Subscription } from 'type-graphql';
import type { RequestContext } from '../../src/auth/request-context';
import { invariant } from '../../src/errors/invariant-error';
import { watchWallet, type WatchWalletDeps } from '../../src/portfolio/wallet-feed';
import { readWallet, registerWallet } from '../../src/portfolio/wallets';
import { mayWrite, requireCustomer } from '../schema/authorization';
import { AddressScalar } from '../schema/scalars';
import type { WalletsDeps } from './resolver';
import { Wallet } from './types';

export type WalletSubscriptionDeps = WalletsDeps & Omit<WatchWalletDeps<Wallet>, 'readWallet'>;

/**
 * Creates the resolver of wallet updates. The class is created with its deps, because a subscription starts in a
 * function and not in a method of an instance.
 */
export function walletSubscriptions(deps: WalletSubscriptionDeps): object {
  const subscribe = ({
    args: { address },
    context,
  }: {
    readonly args: { readonly address: string };
    readonly context: RequestContext;
  }): Promise<AsyncGenerator<Wallet>> => {
    const mayWatch = mayWrite(context);
    return watchWallet(
      { ...deps, readWallet: (wallet) => (mayWatch ? registerWallet(deps, wallet) : readWallet(deps, wallet)) },
      { customerId: requireCustomer(context), address, mayWatch, signal: context.signal },
    );
  };

  @Resolver()
  class WalletSubscriptions {
    /** Streams a wallet, now and after each change. */
    @Authorized('apiKey', 'read')
    @Subscription(() => Wallet, {
      subscribe,
      description:
        'Streams the wallet: its current state, then again after each change of its actions, its pinned tokens or its recorded movements.',
    })
    walletChanged(
      @Root() wallet: Wallet,
      @Arg('address', () => AddressScalar, { description: 'Address of the wallet.' }) address: string,
    ): Wallet {
      invariant(wallet.address === address, 'the event belongs to another wallet');
      return wallet;
    }
  }
  return new WalletSubscriptions();
}
