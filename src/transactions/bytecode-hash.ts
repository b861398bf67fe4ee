import { invariant } from '../errors/invariant-error';
import { canonicalHash } from '../quotes/canonical-hash';
import type { BytecodeRequest } from './parse-bytecode-request';

/**
 * What makes two requests to execute a quote the same. The receiver of events is not part of it: it may be changed by
 * repeating a request.
 */
export function bytecodeHash(request: Omit<BytecodeRequest, 'quoteId' | 'webhookUrl'>): Buffer {
  const { originAddress, destinationAddress, pixKey, thirdParty, output, accountId } = request;
  const hash = canonicalHash({ originAddress, destinationAddress, pixKey, thirdParty, output, accountId });
  invariant(hash, 'the request is nested too deep');
  return hash;
}
