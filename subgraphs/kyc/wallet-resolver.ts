import { Arg, Args, Authorized, Ctx, FieldResolver, Mutation, Query, Resolver, Root } from 'type-graphql';
import type { RequestContext } from '../../src/auth/request-context';
import type { IdentityDeps } from '../../src/kyc/identity-deps';
import { linkCallerWallet, listKycWallets, unlinkCallerWallet } from '../../src/kyc/wallets';
import { requireCustomer } from '../schema/authorization';
import { UuidScalar } from '../schema/scalars';
import { KycWalletArgs } from './args';
import { createWalletProfileLoader } from './loaders';
import { KycProfile, KycWallets, Wallet } from './types';

@Resolver(() => Wallet)
export class KycWalletResolver {
  constructor(private readonly deps: IdentityDeps) {}

  /** Returns the wallets of a profile. */
  @Authorized('apiKey', 'read')
  @Query(() => KycWallets, { description: 'Returns the wallets linked to a profile.' })
  kycWallets(
    @Arg('kycUserId', () => UuidScalar, { description: 'Id of the profile.' }) kycUserId: string,
    @Ctx() context: RequestContext,
  ): Promise<KycWallets> {
    return listKycWallets(this.deps.database, { customerId: requireCustomer(context), kycUserId });
  }

  /** Links a wallet to a profile. */
  @Authorized('apiKey')
  @Mutation(() => KycWallets, { description: 'Links a wallet to a profile. Idempotent.' })
  linkKycWallet(
    @Args(() => KycWalletArgs) { kycUserId, walletAddress: address }: KycWalletArgs,
    @Ctx() context: RequestContext,
  ): Promise<KycWallets> {
    return linkCallerWallet(this.deps, { customerId: requireCustomer(context), kycUserId, address });
  }

  /** Unlinks a wallet from a profile. */
  @Authorized('apiKey')
  @Mutation(() => KycWallets, { description: 'Unlinks a wallet from a profile. The last wallet cannot be unlinked.' })
  unlinkKycWallet(
    @Args(() => KycWalletArgs) { kycUserId, walletAddress: address }: KycWalletArgs,
    @Ctx() context: RequestContext,
  ): Promise<KycWallets> {
    return unlinkCallerWallet(this.deps, { customerId: requireCustomer(context), kycUserId, address });
  }

  /** Returns the profile that the wallet is linked to. */
  @FieldResolver(() => KycProfile, {
    nullable: true,
    description: 'KYC profile that the wallet is linked to. Null when there is none.',
  })
  async kycProfile(@Root() { address }: Wallet, @Ctx() context: RequestContext): Promise<KycProfile | null> {
    return (await context.loader(this.createLoader).load(address)) ?? null;
  }

  /** One function for the life of the process: a request finds its loader by it. */
  private readonly createLoader = (context: RequestContext) =>
    createWalletProfileLoader(this.deps, requireCustomer(context));
}
