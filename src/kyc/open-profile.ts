import type { CustomerId } from '../auth/principal';
import { serviceError } from '../errors/service-error';
import type { Transaction } from '../persistence/database';
import { uuidV7 } from '../persistence/uuid-v7';
import type { KnownPerson } from './person';
import { contextOf, holdProfile, type ProfileDeps } from './profile';
import { insertWallet } from './wallets';

export interface OpenProfile {
  readonly customerId: CustomerId;
  readonly person: Pick<KnownPerson, 'taxId' | 'taxIdCountry' | 'email'>;
  /** Checksummed, or a Solana public key. */
  readonly walletAddress: string;
  readonly externalUserId: string | undefined;
}

/**
 * Opens the profile of a person, with the wallet; the same person again is the same profile, and another wallet is linked
 * to it.
 *
 * @throws KYC_WALLET_ALREADY_LINKED when the wallet is another person's
 */
export async function openProfile(deps: ProfileDeps, open: OpenProfile): Promise<{ readonly kycUserId: string }> {
  return deps.database.$transaction(async (tx) => {
    const kycUserId = (await insertProfile(deps, tx, open)) ?? (await existingProfile(deps, tx, open));
    const { customerId, walletAddress: address } = open;
    await holdProfile(tx, { customerId, kycUserId });
    await insertWallet(tx, { customerId, kycUserId, address });
    return { kycUserId };
  });
}

const taxIdIndexOf = ({ vault }: ProfileDeps, { person: { taxIdCountry, taxId } }: OpenProfile) =>
  vault.blindIndex('taxId', `${taxIdCountry}:${taxId}`);

/** `undefined` when the customer has a profile of that person. */
async function insertProfile(deps: ProfileDeps, tx: Transaction, open: OpenProfile): Promise<string | undefined> {
  const { customerId, person, externalUserId = null } = open;
  const id = uuidV7();
  const { count } = await tx.kycProfile.createMany({
    data: [
      {
        ...{ id, customerId, externalUserId, taxIdIndex: taxIdIndexOf(deps, open) },
        emailIndex: deps.vault.blindIndex('email', person.email),
        person: deps.vault.seal(person, contextOf(id)),
      },
    ],
    skipDuplicates: true,
  });
  return count === 0 ? undefined : id;
}

async function existingProfile(deps: ProfileDeps, tx: Transaction, open: OpenProfile): Promise<string> {
  const { customerId, externalUserId } = open;
  const taxIdIndex = taxIdIndexOf(deps, open);
  const profile = await tx.kycProfile.findFirst({ where: { customerId, taxIdIndex, erasedAt: null } });
  if (profile === null) throw serviceError('KYC_PROFILE_NOT_FOUND');
  if (externalUserId !== undefined && profile.externalUserId === null) {
    await tx.kycProfile.update({ where: { id: profile.id }, data: { externalUserId } });
  }
  return profile.id;
}
