import { LRUCache } from 'lru-cache';
import { atMostEntries } from '../../async/cache-size';
import { serviceError, type ServiceError } from '../../errors/service-error';
import { parseApiKey } from './api-key';
import type { ApiKeyRecord } from './credential-store';
import { type CustomerGate } from './customer-gate';
import { invalidApiKey } from './invalid-api-key';
import { type FailedKeyWindow } from '../rate-limit/failed-key-window';
import { type LastUsedKeys } from './last-used-keys';
import type { Principal } from '../principal';
import { hashSecret, matchesSecretHash } from './secret-hash';

export interface ApiKeyVerifierDeps {
  readonly pepper: string;
  /** Lookup by id. May return a value up to 5 s old. */
  findApiKey(id: string): Promise<ApiKeyRecord | undefined>;
  readonly admit: CustomerGate;
  readonly failures: FailedKeyWindow;
  readonly lastUsedKeys: LastUsedKeys;
}

export type ApiKeyVerifier = (key: string, clientAddress: string) => Promise<Principal>;

/**
 * Verifies an API key and returns its customer.
 *
 * @throws INVALID_API_KEY when it is malformed, unknown, expired or revoked; RATE_LIMITED when the address has sent too
 * many such keys (a key that this process has verified before is still accepted); FORBIDDEN when the customer is suspended.
 */
export function createApiKeyVerifier(deps: ApiKeyVerifierDeps): ApiKeyVerifier {
  const verifiedKeys = new LRUCache<string, true>(atMostEntries(50_000));
  return async (text, clientAddress) => {
    const key = parseApiKey(text);
    if (key === undefined) throw invalidApiKey();
    const retryAfter = deps.failures.retryAfter(clientAddress);
    if (retryAfter !== undefined && !verifiedKeys.has(key.id)) throw rateLimited(retryAfter);

    const record = await deps.findApiKey(key.id);
    const hasSecret = matchesSecretHash(record?.secretHash, hashSecret(deps.pepper, key.secret));
    if (!hasSecret || record === undefined || !isActive(record)) {
      deps.failures.add(clientAddress);
      throw retryAfter === undefined ? invalidApiKey() : rateLimited(retryAfter);
    }
    if (!(await deps.admit(record.customerId))) throw invalidApiKey();
    verifiedKeys.set(key.id, true);
    deps.lastUsedKeys.touch(key.id);
    return { kind: 'apiKey', customerId: record.customerId, keyId: key.id };
  };
}

const isActive = ({ revokedAt, expiresAt }: ApiKeyRecord): boolean =>
  revokedAt === null && (expiresAt === null || Date.now() < expiresAt.getTime());

const rateLimited = (retryAfter: number): ServiceError =>
  serviceError('RATE_LIMITED', { retryAfter }, { details: { retryAfter } });
