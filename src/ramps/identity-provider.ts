import type { FiatCurrency, RampAccount, RampId } from './ramp-provider';
import type { UsdBeneficiary, UsdPaymentMethod } from './usd-beneficiary';

/** A person as far as a ramp needs to know. Personal data: encrypted at rest, never logged. */
export interface Person {
  readonly fullName: string;
  /** Which end of the name it is, where they told. */
  readonly lastName?: string | undefined;
  /** `YYYY-MM-DD`. */
  readonly birthDate: string;
  readonly taxId: string;
  /** Alpha-3: `BRA`. */
  readonly taxIdCountry: string;
  readonly email: string;
  readonly phone: string | undefined;
  readonly address: PostalAddress;
}

export interface PostalAddress {
  /** Alpha-3. */
  readonly country: string;
  readonly state: string;
  readonly city: string;
  readonly zipCode: string;
  readonly streetAddress: string;
  readonly number: string | undefined;
  readonly complement: string | undefined;
}

export type DocumentType = 'RG' | 'CNH' | 'PASSPORT' | 'NATIONAL_ID' | 'DRIVER_LICENSE' | 'PROOF_OF_ADDRESS';

/** An image or PDF whose bytes were checked. Kept in memory alone. */
export interface EvidenceFile {
  readonly bytes: Buffer;
  readonly mimeType: 'image/jpeg' | 'image/png' | 'application/pdf';
}

export interface IdentityEvidence {
  readonly documentType: DocumentType;
  readonly front: EvidenceFile;
  readonly back: EvidenceFile | undefined;
  readonly selfie: EvidenceFile | undefined;
}

/** What a ramp thinks of a person. */
export interface VerificationState {
  readonly status: 'created' | 'provider_pending' | 'approved' | 'rejected' | 'rejected_retryable' | 'blocked';
  /** The ramp's own word for it. */
  readonly providerStatus: string | undefined;
  readonly rejectReason: string | undefined;
  readonly verificationLink: string | undefined;
  readonly capabilities: Readonly<Record<FiatCurrency, boolean>>;
  /** Steps of the verification by their state, where the ramp tells them. */
  readonly verification?: unknown;
}

/** The part of a ramp that knows people. Failures are codes of the catalog. */
export interface RampIdentityProvider {
  readonly id: RampId;
  /** Opens the account of a person; where the ramp was asked for it before, it looks first whether that came to be. */
  openAccount(person: Person, opening: AccountOpening, signal: AbortSignal): Promise<RampAccount>;
  /** Hands evidence over and asks for a decision. Resolves to the ramp's id of the attempt, where it has one. */
  submitEvidence(
    submission: EvidenceSubmission,
    signal: AbortSignal,
  ): Promise<{ readonly attemptId?: string | undefined }>;
  /** One document of its own, where the ramp takes them singly. */
  submitDocument?(submission: DocumentSubmission, signal: AbortSignal): Promise<void>;
  verificationState(
    account: VerifiableAccount,
    signal: AbortSignal,
    options?: VerificationPollOptions,
  ): Promise<VerificationState>;
  /** Asks for a currency beyond the ramp's own. */
  unlockCurrency?(account: VerifiableAccount, currency: 'USD', signal: AbortSignal): Promise<void>;
  /** Saves a bank account to pay out to. Resolves to its id at the ramp. */
  saveBeneficiary?(account: VerifiableAccount, target: SavedBeneficiary, signal: AbortSignal): Promise<string>;
}

/** An account that is opened once for a `kycUserId`, whatever becomes of answers. */
export interface AccountOpening {
  readonly kycUserId: string;
  /** When the ramp was first asked for it, unless that is now. */
  readonly requestedSince?: Date | undefined;
  /** Whether an account at the ramp is known as somebody else's. */
  isTaken?(accountId: string): Promise<boolean>;
}

export interface VerifiableAccount extends RampAccount {
  readonly attemptId: string | undefined;
}

export interface VerificationPollOptions {
  /** Asks for nothing: at ramps that review what was handed in on request, none is made. */
  readonly readOnly?: boolean;
}

export interface SavedBeneficiary {
  readonly beneficiary: UsdBeneficiary;
  readonly method: UsdPaymentMethod;
}

export interface EvidenceSubmission {
  readonly account: RampAccount;
  readonly person: Person;
  readonly evidence: IdentityEvidence;
}

export interface DocumentSubmission {
  readonly account: RampAccount;
  readonly documentType: DocumentType;
  readonly side: 'FRONT' | 'BACK' | undefined;
  readonly country: string | undefined;
  readonly file: EvidenceFile;
}
