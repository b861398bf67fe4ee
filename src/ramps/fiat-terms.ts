import type { PayoutDestination, RampAccount, RampId, RampRail } from './ramp-provider';

/** The terms of a quote from or to fiat, in addition to tokens and amounts. */
export interface FiatTerms {
  readonly ramp: RampId;
  /** The ramp's name in the request, or its brand. */
  readonly name: string;
  readonly rail: RampRail;
  /** Pix: the beneficiary is not the account holder. */
  readonly thirdParty: boolean;
  /** The account of the wallet's holder; absent for a price without a payer. */
  readonly account: RampAccount | undefined;
  /** The destination of an off-ramp's payout. Personal data: encrypted when stored. */
  readonly payout: PayoutDestination | undefined;
}
