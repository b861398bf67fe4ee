import { z } from 'zod';
import type { CustomerId } from '../auth/principal';
import { serviceError } from '../errors/service-error';
import { validationError } from '../errors/validation';
import { optional, readInput, text, wallet } from './evidence/read-input';
import type { ProfileDeps, ProfileKey } from './profile';

const lookUp = z.object({
  kycUserId: optional(text),
  externalUserId: optional(text),
  email: optional(text),
  walletAddress: optional(wallet),
});

/**
 * The profile that a caller means: by `kycUserId`, else `externalUserId` (the newest), else the wallet, together with the
 * e-mail where one is given.
 *
 * @throws KYC_PROFILE_NOT_FOUND; VALIDATION_ERROR when none of them is given
 */
export async function lookUpProfile(
  { database, vault }: ProfileDeps,
  customerId: CustomerId,
  fields: unknown,
): Promise<ProfileKey> {
  const { kycUserId, externalUserId, email, walletAddress: address } = readInput(lookUp, fields);
  const isNamed = [kycUserId, externalUserId, address].some((name) => name !== undefined);
  if (!isNamed) {
    const message = 'is required, or externalUserId, or walletAddress';
    throw validationError([{ path: 'kycUserId', message }]);
  }
  const emailIndex = email === undefined ? undefined : vault.blindIndex('email', email.toLowerCase());
  const byWallet = {
    wallets: { some: { address: address ?? '' } },
    ...(emailIndex === undefined ? {} : { emailIndex }),
  };
  const meant =
    kycUserId !== undefined ? { id: kycUserId } : externalUserId !== undefined ? { externalUserId } : byWallet;
  const found = await database.kycProfile.findFirst({
    where: { customerId, erasedAt: null, ...meant },
    orderBy: { createdAt: 'desc' },
    select: { id: true },
  });
  if (found === null) throw serviceError('KYC_PROFILE_NOT_FOUND');
  return { customerId, kycUserId: found.id };
}
