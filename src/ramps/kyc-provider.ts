import type { FiatCurrency, RampAccount, RampId } from './ramp-provider';
import type { UsdBeneficiary, UsdPaymentMethod } from './usd-beneficiary';

/** The data of a person that ramps require. Personal data: encrypted at rest, never logged. */
export interface Person {
  readonly fullName: string;
  /** The end of `fullName`, when the person stated it. */
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

/** An image or PDF whose bytes were checked. Kept in memory only. */
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

/** The state of a person's verification at a ramp. */
export interface VerificationState {
  readonly status: 'created' | 'provider_pending' | 'approved' | 'rejected' | 'rejected_retryable' | 'blocked';
  /** The ramp's own name of the status. */
  readonly providerStatus: string | undefined;
  readonly rejectReason: string | undefined;
  readonly verificationLink: string | undefined;
  readonly capabilities: Readonly<Record<FiatCurrency, boolean>>;
  /** Steps of the verification by state, when the ramp reports them. */
  readonly verification?: unknown;
}

/** The part of a ramp that verifies people. Failures are codes of the catalog. */
export interface RampKycProvider {
  readonly id: RampId;
  /** Opens the account of a person. After an earlier request it first searches for the account that this may have opened. */
  openAccount(person: Person, opening: AccountOpening, signal: AbortSignal): Promise<RampAccount>;
  /** Submits evidence for review. Resolves to the ramp's id of the attempt, when it has one. */
  submitEvidence(
    submission: EvidenceSubmission,
    signal: AbortSignal,
  ): Promise<{ readonly attemptId?: string | undefined }>;
  /** Submits one document, at ramps that accept single documents. */
  submitDocument?(submission: DocumentSubmission, signal: AbortSignal): Promise<void>;
  verificationState(
    account: VerifiableAccount,
    signal: AbortSignal,
    options?: VerificationPollOptions,
  ): Promise<VerificationState>;
  /** Requests a currency that is not unlocked with the approval. */
  unlockCurrency?(account: VerifiableAccount, currency: 'USD', signal: AbortSignal): Promise<void>;
  /** Saves a bank account for payouts. Resolves to the ramp's id of it. */
  saveBeneficiary?(account: VerifiableAccount, target: SavedBeneficiary, signal: AbortSignal): Promise<string>;
}

/** The opening of an account: one for each `kycUserId`, even when responses are lost. */
export interface AccountOpening {
  readonly kycUserId: string;
  /** Time of the first request to the ramp; absent for the first request. */
  readonly requestedSince?: Date | undefined;
  /** True when an account at the ramp is stored for another profile. */
  isTaken?(accountId: string): Promise<boolean>;
}

export interface VerifiableAccount extends RampAccount {
  readonly attemptId: string | undefined;
}

export interface VerificationPollOptions {
  /** True requests no review, at ramps that review documents on request. */
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
