import { Arg, Args, Authorized, Ctx, FieldResolver, Mutation, Query, Resolver, Root } from 'type-graphql';
import type { RequestContext } from '../../src/auth/request-context';
import type { IdentityDeps } from '../../src/kyc/identity-deps';
import { linkCallersWallet, listKycWallets, unlinkKycWallet } from '../../src/kyc/wallets';
import { requireCustomer } from '../schema/authorization';
import { UuidScalar } from '../schema/scalars';
import { KycWalletArgs } from './args';
import { createWalletProfileLoader } from './loaders';
import { KycProfile, KycWallets, Wallet } from './types';

@Resolver(() => Wallet)
export class KycWalletResolver {
  constructor(private readonly deps: IdentityDeps) {}

  /** The wallets of a profile. */
  @Authorized('apiKey', 'bearer')
  @Query(() => KycWallets, { description: 'The wallets that may quote and pay against a profile.' })
  kycWallets(
    @Arg('kycUserId', () => UuidScalar, { description: 'The profile.' }) kycUserId: string,
    @Ctx() context: RequestContext,
  ): Promise<KycWallets> {
    return listKycWallets(this.deps.database, { customerId: requireCustomer(context), kycUserId });
  }

  /** Another wallet of a profile. */
  @Authorized('apiKey')
  @Mutation(() => KycWallets, { description: 'Links a wallet to a profile; one that is linked already stays so.' })
  linkKycWallet(
    @Args(() => KycWalletArgs) { kycUserId, walletAddress: address }: KycWalletArgs,
    @Ctx() context: RequestContext,
  ): Promise<KycWallets> {
    return linkCallersWallet(this.deps, { customerId: requireCustomer(context), kycUserId, address });
  }

  /** A wallet less. */
  @Authorized('apiKey')
  @Mutation(() => KycWallets, { description: 'Unlinks a wallet from a profile; the last one stays.' })
  unlinkKycWallet(
    @Args(() => KycWalletArgs) { kycUserId, walletAddress: address }: KycWalletArgs,
    @Ctx() context: RequestContext,
  ): Promise<KycWallets> {
    return unlinkKycWallet(this.deps.database, { customerId: requireCustomer(context), kycUserId, address });
  }

  /** The person whose wallet it is. */
  @FieldResolver(() => KycProfile, {
    nullable: true,
    description: 'The person whose wallet it is, if ramps know them.',
  })
  async kycProfile(@Root() { address }: Wallet, @Ctx() context: RequestContext): Promise<KycProfile | null> {
    return (await context.loader(this.createLoader).load(address)) ?? null;
  }

  /** One function for the life of the process: by it a request finds the loader that it has made. */
  private readonly createLoader = (context: RequestContext) =>
    createWalletProfileLoader(this.deps, requireCustomer(context));
}
