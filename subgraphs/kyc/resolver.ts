import { Args, Authorized, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import type { RequestContext } from '../../src/auth/request-context';
import type { IdentityDeps } from '../../src/kyc/identity-deps';
import { limitsOfPerson } from '../../src/kyc/limits';
import { lookUpProfile } from '../../src/kyc/look-up-profile';
import { openSession } from '../../src/kyc/open-session';
import { kycStatus } from '../../src/kyc/status';
import { submitDocument } from '../../src/kyc/submit-document';
import { submitEvidence } from '../../src/kyc/submit-evidence';
import { unlockCurrency } from '../../src/kyc/unlock-currency';
import { requireCustomer } from '../schema/authorization';
import { KycDocumentArgs, KycEvidenceArgs, KycSessionArgs, KycStatusArgs } from './args';
import { KycCurrencyArgs } from './currency-args';
import { RampLimits, RampLimitsArgs } from './limits';
import { KycCurrency, KycProfile } from './types';

@Resolver(() => KycProfile)
export class KycResolver {
  constructor(private readonly deps: IdentityDeps) {}

  /** How a person's verification stands; the ramps are asked. */
  @Authorized('apiKey', 'bearer')
  @Query(() => KycProfile, {
    description: 'How the verification of a person stands, by `kycUserId`, `externalUserId`, or their wallet.',
  })
  async kycStatus(
    @Args(() => KycStatusArgs) { rampProvider, ...fields }: KycStatusArgs,
    @Ctx() context: RequestContext,
  ): Promise<KycProfile> {
    const key = await lookUpProfile(this.deps, requireCustomer(context), fields);
    return kycStatus(this.deps, { ...key, rampProvider: rampProvider ?? undefined }, context.signal);
  }

  /** What a ramp lets a person move; the ramp is asked. */
  @Authorized('apiKey', 'bearer')
  @Query(() => RampLimits, { description: 'What a ramp lets a person move, by `kycUserId` or their wallet.' })
  rampLimits(
    @Args(() => RampLimitsArgs) { kycUserId, walletAddress, rampProvider }: RampLimitsArgs,
    @Ctx() context: RequestContext,
  ): Promise<RampLimits> {
    const person = { kycUserId: kycUserId ?? undefined, walletAddress: walletAddress ?? undefined };
    const request = { customerId: requireCustomer(context), ...person, rampProvider: rampProvider ?? undefined };
    return limitsOfPerson(this.deps, request, context.signal);
  }

  /** The profile of a person, opened at the first call. */
  @Authorized('apiKey')
  @Mutation(() => KycProfile, { description: 'Opens the profile of a person; the same person again is the same one.' })
  createKycSession(
    @Args(() => KycSessionArgs) fields: KycSessionArgs,
    @Ctx() context: RequestContext,
  ): Promise<KycProfile> {
    return openSession(this.deps, { customerId: requireCustomer(context), fields }, context.signal);
  }

  /** What a person shows of themselves. */
  @Authorized('apiKey')
  @Mutation(() => KycProfile, {
    description: 'Submits a person to a ramp. Images are checked first, and kept nowhere.',
  })
  submitKycEvidence(
    @Args(() => KycEvidenceArgs) { kycUserId, rampProvider, ...fields }: KycEvidenceArgs,
    @Ctx() context: RequestContext,
  ): Promise<KycProfile> {
    const submission = { customerId: requireCustomer(context), kycUserId, rampProvider: rampProvider ?? undefined };
    return submitEvidence(this.deps, { ...submission, fields }, context.signal);
  }

  /** One document of a person. */
  @Authorized('apiKey')
  @Mutation(() => KycProfile, {
    description: 'Hands one document to a ramp that takes them singly: the secondary one.',
  })
  submitKycDocument(
    @Args(() => KycDocumentArgs) { kycUserId, rampProvider, ...fields }: KycDocumentArgs,
    @Ctx() context: RequestContext,
  ): Promise<KycProfile> {
    const submission = { customerId: requireCustomer(context), kycUserId, rampProvider: rampProvider ?? undefined };
    return submitDocument(this.deps, { ...submission, fields }, context.signal);
  }

  /** Dollars, for a person whom a ramp has approved. */
  @Authorized('apiKey')
  @Mutation(() => KycCurrency, {
    description: 'Asks a ramp for dollars, and saves the bank account that they are paid out to.',
  })
  unlockKycCurrency(
    @Args(() => KycCurrencyArgs) { kycUserId, rampProvider, currency, ...fields }: KycCurrencyArgs,
    @Ctx() context: RequestContext,
  ): Promise<KycCurrency> {
    const customerId = requireCustomer(context);
    const request = { customerId, kycUserId, currency, rampProvider: rampProvider ?? undefined, fields };
    return unlockCurrency(this.deps, request, context.signal);
  }
}
