import type { CustomerId } from '../auth/principal';
import { serviceError } from '../errors/service-error';
import type { Database, Transaction } from '../persistence/database';
import type { PersonalDataVault } from '../persistence/personal-data';
import { type KnownPerson, parseKnownPerson } from './person';

export interface ProfileDeps {
  readonly database: Database;
  readonly vault: PersonalDataVault;
}

/** A profile of a customer. `person` is personal data. */
export interface Profile {
  readonly kycUserId: string;
  readonly customerId: CustomerId;
  readonly externalUserId: string | undefined;
  readonly person: KnownPerson;
  readonly updatedAt: Date;
}

export interface ProfileKey {
  readonly customerId: CustomerId;
  readonly kycUserId: string;
}

/** Binds sealed data to its profile: the vault does not open it for another one. */
export const profileSealContext = (kycUserId: string): string => `KycProfile:${kycUserId}`;

/** Returns an active profile. @throws KYC_PROFILE_NOT_FOUND when it does not exist, or belongs to another customer */
export async function findProfile({ database, vault }: ProfileDeps, key: ProfileKey): Promise<Profile> {
  const { customerId, kycUserId } = key;
  const row = await database.kycProfile.findFirst({ where: { id: kycUserId, customerId, erasedAt: null } });
  if (row === null) throw serviceError('KYC_PROFILE_NOT_FOUND');
  return {
    kycUserId,
    customerId,
    externalUserId: row.externalUserId ?? undefined,
    updatedAt: row.updatedAt,
    person: parseKnownPerson(vault.open(row.person, profileSealContext(kycUserId))),
  };
}

/** Stores the data of a person. @throws KYC_PROFILE_NOT_FOUND when the profile was erased meanwhile */
export async function savePerson(
  { database, vault }: ProfileDeps,
  { customerId, kycUserId }: ProfileKey,
  person: KnownPerson,
): Promise<void> {
  const { count } = await database.kycProfile.updateMany({
    where: { id: kycUserId, customerId, erasedAt: null },
    data: {
      person: vault.seal(person, profileSealContext(kycUserId)),
      emailIndex: vault.blindIndex('email', person.email),
    },
  });
  if (count === 0) throw serviceError('KYC_PROFILE_NOT_FOUND');
}

/** Locks an active profile until the transaction ends, so that its wallets change one after the other. @throws KYC_PROFILE_NOT_FOUND */
export async function lockProfile(tx: Transaction, { customerId, kycUserId }: ProfileKey): Promise<void> {
  const locked = await tx.$queryRaw<unknown[]>`
    SELECT 1 FROM "KycProfile"
     WHERE id = ${kycUserId}::uuid AND "customerId" = ${customerId}::uuid AND "erasedAt" IS NULL FOR UPDATE`;
  if (locked.length === 0) throw serviceError('KYC_PROFILE_NOT_FOUND');
}
