import { invariant } from '../errors/invariant-error';
import { canonicalHash } from '../persistence/canonical-hash';
import type { Output } from '../quotes/request/swap-intent';

/** The fields of a request that determine the execution. */
export interface BoundRequest {
  readonly originAddress: string;
  /** `undefined` for payouts in fiat. */
  readonly destinationAddress: string | undefined;
  /** Blind index of the payout's account. A plain hash of a Pix key could be reversed by guessing. */
  readonly payout: string | undefined;
  readonly thirdParty: boolean;
  readonly output: Output;
  readonly accountId: string | undefined;
}

/**
 * Hash of the fields that determine the execution. Two requests with the same hash are the same execution of the quote. The
 * webhook URL is not part of it: a repeated request may change it.
 */
export function executionRequestHash(request: BoundRequest): Buffer {
  const { originAddress, destinationAddress, payout, thirdParty, output, accountId } = request;
  const hash = canonicalHash({ originAddress, destinationAddress, payout, thirdParty, output, accountId });
  invariant(hash, 'the request is nested too deeply');
  return hash;
}
