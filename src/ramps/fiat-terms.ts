import type { PayoutDestination, RampAccount, RampId, RampRail } from './ramp-provider';

/** What a quote from or to fiat is for, beside its tokens and amounts. */
export interface FiatTerms {
  readonly ramp: RampId;
  /** The name by which the ramp was asked for, or is called. */
  readonly name: string;
  readonly rail: RampRail;
  /** Pix: the money goes to somebody else than the account's holder. */
  readonly thirdParty: boolean;
  /** Whose wallet it is; absent when only a price is wanted. */
  readonly account: RampAccount | undefined;
  /** Where an off-ramp pays to. Personal data: in memory, and stored encrypted. */
  readonly payout: PayoutDestination | undefined;
}
