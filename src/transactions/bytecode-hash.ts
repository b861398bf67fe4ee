import { invariant } from '../errors/invariant-error';
import { canonicalHash } from '../persistence/canonical-hash';
import type { Output } from '../quotes/request/swap-intent';

/** Everything in a request that decides what is executed. */
export interface BoundRequest {
  readonly originAddress: string;
  /** `undefined` when money is paid out of the chains. */
  readonly destinationAddress: string | undefined;
  /** Blind index of where a payout goes: a hash of a Pix key alone could be guessed back. */
  readonly payout: string | undefined;
  readonly thirdParty: boolean;
  readonly output: Output;
  readonly accountId: string | undefined;
}

/**
 * What makes two requests to execute a quote the same. The receiver of events is not part of it: it may be changed by
 * repeating a request.
 */
export function bytecodeHash(request: BoundRequest): Buffer {
  const { originAddress, destinationAddress, payout, thirdParty, output, accountId } = request;
  const hash = canonicalHash({ originAddress, destinationAddress, payout, thirdParty, output, accountId });
  invariant(hash, 'the request is nested too deep');
  return hash;
}
