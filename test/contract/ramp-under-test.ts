import type { ErrorCode } from '../../src/errors/catalog';
import type { BaseUnits } from '../../src/money/base-units';
import type { IdentityEvidence, Person, RampIdentityProvider } from '../../src/ramps/identity-provider';
import type { PayoutDestination, RampAccount, RampProvider, RampRoute, Ticket } from '../../src/ramps/ramp-provider';
import type { FaultyUpstream } from './faulty-upstream';

/** A route that the ramp serves, and a movement of money over it. */
export interface ServedRamp {
  readonly route: RampRoute;
  readonly amountIn: BaseUnits;
  readonly amountOut: BaseUnits;
  /** Where the token goes to, or comes from. */
  readonly walletAddress: string;
  /** Of off-ramps. */
  readonly payout: PayoutDestination | undefined;
}

/** What is asked of a ramp, by the codes that it answers with when it cannot be asked. */
export type RampQuestion = 'quote' | 'openTicket' | 'ticketState' | 'limits' | 'openAccount' | 'verificationState';

/** A ramp, its third party, and what it takes to move money through it. */
export interface RampUnderTest {
  readonly ramp: RampProvider & RampIdentityProvider;
  /** Stands between the adapter and the third party. */
  readonly upstream: FaultyUpstream;
  readonly unavailable: Readonly<Record<RampQuestion, readonly ErrorCode[]>>;
  /** Of an approved person. */
  readonly account: RampAccount;
  /** Routes with amounts, at least one for each direction. The first meets the faults. */
  readonly served: readonly ServedRamp[];
  readonly unsupported: readonly { readonly route: RampRoute; readonly thirdParty: boolean }[];
  /** Base units of the smallest amount of the route's token that the ramp can tell apart. */
  precisionOf(route: RampRoute): bigint;
  /** Somebody who has no account yet; another one at each call. */
  newPerson(): { readonly person: Person; readonly kycUserId: string };
  readonly evidence: IdentityEvidence;
  /** The customer does what the ticket asks for: pays in, or sends the token to the deposit address. */
  pay(served: ServedRamp, ticket: Ticket): Promise<void>;
  /** Base units of the route's token that an account on its chain holds. */
  balanceOf(route: RampRoute, address: string): Promise<bigint>;
  /** The third party will do what the next request that moves money asks for, and then drop the connection. */
  loseNextAnswer(): Promise<void>;
  /** How many money movements the third party knows that were asked for under our id. */
  movements(externalId: string): Promise<number>;
  /** From now on payouts to banks fail, or succeed again. */
  failPayouts(fail: boolean): Promise<void>;
  tearDown(): Promise<void>;
}
