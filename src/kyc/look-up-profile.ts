import { z } from 'zod';
import type { CustomerId } from '../auth/principal';
import { assertNotBlocked } from '../auth/sanctions';
import { serviceError } from '../errors/service-error';
import { validationError } from '../errors/validation';
import { optional, readInput, text, wallet } from './evidence/read-input';
import type { IdentityDeps } from './identity-deps';
import type { ProfileKey } from './profile';

const lookUp = z.object({
  kycUserId: optional(text),
  externalUserId: optional(text),
  email: optional(text),
  walletAddress: optional(wallet),
});

/**
 * Finds a profile by `kycUserId`, else by `externalUserId` (the newest profile), else by wallet and, when given, e-mail.
 *
 * @throws KYC_PROFILE_NOT_FOUND; VALIDATION_ERROR when none of them is given; FORBIDDEN for a blocked wallet, also when another
 * field finds the profile
 */
export async function lookUpProfile(
  { database, vault, blockedAddresses }: Pick<IdentityDeps, 'database' | 'vault' | 'blockedAddresses'>,
  customerId: CustomerId,
  fields: unknown,
): Promise<ProfileKey> {
  const { kycUserId, externalUserId, email, walletAddress: address } = readInput(lookUp, fields);
  assertNotBlocked(blockedAddresses, [address]);
  const hasKey = [kycUserId, externalUserId, address].some((name) => name !== undefined);
  if (!hasKey) {
    const message = 'is required, or externalUserId, or walletAddress';
    throw validationError([{ path: 'kycUserId', message }]);
  }
  const emailIndex = email === undefined ? undefined : vault.blindIndex('email', email.toLowerCase());
  const byWallet = {
    wallets: { some: { address: address ?? '' } },
    ...(emailIndex === undefined ? {} : { emailIndex }),
  };
  const filter =
    kycUserId !== undefined ? { id: kycUserId } : externalUserId !== undefined ? { externalUserId } : byWallet;
  const found = await database.kycProfile.findFirst({
    where: { customerId, erasedAt: null, ...filter },
    orderBy: { createdAt: 'desc' },
    select: { id: true },
  });
  if (found === null) throw serviceError('KYC_PROFILE_NOT_FOUND');
  return { customerId, kycUserId: found.id };
}
