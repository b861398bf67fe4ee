import type { ErrorCode } from '../../src/errors/catalog';
import type { BaseUnits } from '../../src/money/base-units';
import type { IdentityEvidence, Person, RampKycProvider } from '../../src/ramps/kyc-provider';
import type { PayoutDestination, RampAccount, RampProvider, RampRoute, Ticket } from '../../src/ramps/ramp-provider';
import type { FaultyUpstream } from './faulty-upstream';

/** A supported route, and a payment over it. */
export interface ServedRamp {
  readonly route: RampRoute;
  readonly amountIn: BaseUnits;
  readonly amountOut: BaseUnits;
  /** Recipient or sender of the token. */
  readonly walletAddress: string;
  /** Only for off-ramps. */
  readonly payout: PayoutDestination | undefined;
}

/** The requests of a ramp, each with codes of unavailability. */
export type RampRequestKind = 'quote' | 'openTicket' | 'ticketState' | 'limits' | 'openAccount' | 'verificationState';

/** A ramp, its third party, and the means to move money through it. */
export interface RampUnderTest {
  readonly ramp: RampProvider & RampKycProvider;
  /** The proxy between the adapter and the third party. */
  readonly upstream: FaultyUpstream;
  readonly unavailable: Readonly<Record<RampRequestKind, readonly ErrorCode[]>>;
  /** The account of an approved person. */
  readonly account: RampAccount;
  /** Routes with amounts, at least one for each direction. The faults are tested with the first. */
  readonly served: readonly ServedRamp[];
  readonly unsupported: readonly { readonly route: RampRoute; readonly thirdParty: boolean }[];
  /** Base units of the smallest amount of the route's token that the ramp distinguishes. */
  precisionOf(route: RampRoute): bigint;
  /** A person without an account; a new one at each call. */
  newPerson(): { readonly person: Person; readonly kycUserId: string };
  readonly evidence: IdentityEvidence;
  /** Makes the deposit of a ticket, by bank or to the deposit address. */
  pay(served: ServedRamp, ticket: Ticket): Promise<void>;
  /** Base units of the route's token that an account on its chain holds. */
  balanceOf(route: RampRoute, address: string): Promise<bigint>;
  /** The third party executes the next request that moves money, and then drops the connection. */
  loseNextResponse(): Promise<void>;
  /** Number of payments at the third party with an external id. */
  movements(externalId: string): Promise<number>;
  /** From now on payouts to banks fail, or succeed again. */
  failPayouts(fail: boolean): Promise<void>;
  tearDown(): Promise<void>;
}
