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

/** Names the row to the vault: what is sealed for one profile does not open as another's. */
export const profileSealContext = (kycUserId: string): string => `KycProfile:${kycUserId}`;

/** An active profile of the customer. @throws KYC_PROFILE_NOT_FOUND when there is none, or it is another customer's */
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

/** Keeps what was learned of a person. @throws KYC_PROFILE_NOT_FOUND when they were erased meanwhile */
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

/** Holds an active profile to the end of the transaction: its wallets change one after the other. @throws KYC_PROFILE_NOT_FOUND */
export async function lockProfile(tx: Transaction, { customerId, kycUserId }: ProfileKey): Promise<void> {
  const held = await tx.$queryRaw<unknown[]>`
    SELECT 1 FROM "KycProfile"
     WHERE id = ${kycUserId}::uuid AND "customerId" = ${customerId}::uuid AND "erasedAt" IS NULL FOR UPDATE`;
  if (held.length === 0) throw serviceError('KYC_PROFILE_NOT_FOUND');
}
