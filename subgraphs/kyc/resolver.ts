import { Args, Authorized, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import type { RequestContext } from '../../src/auth/request-context';
import type { IdentityDeps } from '../../src/kyc/identity-deps';
import { loadAccountLimits } from '../../src/kyc/account-limits';
import { lookUpProfile } from '../../src/kyc/look-up-profile';
import { openSession } from '../../src/kyc/open-session';
import { loadKycStatus, pollKycStatus } from '../../src/kyc/kyc-status';
import { submitDocument } from '../../src/kyc/submit-document';
import { submitEvidence } from '../../src/kyc/submit-evidence';
import { unlockCurrency } from '../../src/kyc/unlock-currency';
import { mayWrite, requireCustomer } from '../schema/authorization';
import { KycDocumentArgs, KycEvidenceArgs, KycSessionArgs, KycStatusArgs } from './args';
import { KycCurrencyArgs } from './currency-args';
import { RampLimits, RampLimitsArgs } from './limits';
import { KycCurrency, KycProfile } from './types';

@Resolver(() => KycProfile)
export class KycResolver {
  constructor(private readonly deps: IdentityDeps) {}

  /** Returns the verification status of a person, as the ramps report it now, or for a viewer as it is stored. */
  @Authorized('apiKey', 'read')
  @Query(() => KycProfile, {
    description:
      'Returns the verification status of a person, by `kycUserId`, `externalUserId`, or wallet address (optionally with the email). Polls the ramps, except for an access token with the role `viewer`.',
  })
  async kycStatus(
    @Args(() => KycStatusArgs) { rampProvider, ...fields }: KycStatusArgs,
    @Ctx() context: RequestContext,
  ): Promise<KycProfile> {
    const key = await lookUpProfile(this.deps, requireCustomer(context), fields);
    const request = { ...key, rampProvider: rampProvider ?? undefined };
    // A poll submits open steps for review and stores the response of the ramp.
    return mayWrite(context) ? pollKycStatus(this.deps, request, context.signal) : loadKycStatus(this.deps, request);
  }

  /** Returns the limits of a person, as the ramp reports them now. For a viewer the stored verification counts. */
  @Authorized('apiKey', 'read')
  @Query(() => RampLimits, { description: 'Returns the limits of a person at a ramp, by `kycUserId` or wallet.' })
  rampLimits(
    @Args(() => RampLimitsArgs) { kycUserId, walletAddress, rampProvider }: RampLimitsArgs,
    @Ctx() context: RequestContext,
  ): Promise<RampLimits> {
    const person = { kycUserId: kycUserId ?? undefined, walletAddress: walletAddress ?? undefined };
    const request = { customerId: requireCustomer(context), ...person, rampProvider: rampProvider ?? undefined };
    const mayPoll = mayWrite(context);
    return loadAccountLimits(this.deps, { ...request, mayPoll }, context.signal);
  }

  /** Opens the profile of a person, or returns the profile that exists. */
  @Authorized('apiKey')
  @Mutation(() => KycProfile, {
    description: 'Opens the KYC profile of a person. Idempotent: the same person gets the same profile.',
  })
  createKycSession(
    @Args(() => KycSessionArgs) fields: KycSessionArgs,
    @Ctx() context: RequestContext,
  ): Promise<KycProfile> {
    return openSession(this.deps, { customerId: requireCustomer(context), fields }, context.signal);
  }

  /** Submits a person's evidence to a ramp. */
  @Authorized('apiKey')
  @Mutation(() => KycProfile, {
    description: "Submits a person's evidence to a ramp. Images are validated first and are not stored.",
  })
  submitKycEvidence(
    @Args(() => KycEvidenceArgs) { kycUserId, rampProvider, ...fields }: KycEvidenceArgs,
    @Ctx() context: RequestContext,
  ): Promise<KycProfile> {
    const submission = { customerId: requireCustomer(context), kycUserId, rampProvider: rampProvider ?? undefined };
    return submitEvidence(this.deps, { ...submission, fields }, context.signal);
  }

  /** Submits one document of a person. */
  @Authorized('apiKey')
  @Mutation(() => KycProfile, {
    description: 'Submits one document to a ramp that takes documents one at a time: the secondary ramp.',
  })
  submitKycDocument(
    @Args(() => KycDocumentArgs) { kycUserId, rampProvider, ...fields }: KycDocumentArgs,
    @Ctx() context: RequestContext,
  ): Promise<KycProfile> {
    const submission = { customerId: requireCustomer(context), kycUserId, rampProvider: rampProvider ?? undefined };
    return submitDocument(this.deps, { ...submission, fields }, context.signal);
  }

  /** Requests US dollars for a person that a ramp has approved. */
  @Authorized('apiKey')
  @Mutation(() => KycCurrency, {
    description: 'Requests US dollars for a person at a ramp, and saves the bank account for payouts.',
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
