import type { CustomerId } from '../auth/principal';
import { serviceError } from '../errors/service-error';
import type { Transaction } from '../persistence/database';
import { uuidV7 } from '../persistence/uuid-v7';
import { type KnownPerson, parseKnownPerson } from './person';
import { profileSealContext, lockProfile, type ProfileDeps } from './profile';
import { insertWallet } from './wallets';

export interface NewProfile {
  readonly customerId: CustomerId;
  readonly person: Pick<KnownPerson, 'taxId' | 'taxIdCountry' | 'email'>;
  /** Checksummed, or a Solana public key. */
  readonly walletAddress: string;
  readonly externalUserId: string | undefined;
}

/**
 * Opens the profile of a person and links the wallet. Returns the existing profile when the person has one; its e-mail and
 * the customer's id of the person are updated.
 *
 * @throws KYC_WALLET_ALREADY_LINKED when the wallet is linked to another person
 */
export async function openProfile(deps: ProfileDeps, open: NewProfile): Promise<{ readonly kycUserId: string }> {
  return deps.database.$transaction(async (tx) => {
    const { customerId, walletAddress: address } = open;
    const inserted = await insertProfile(deps, tx, open);
    const kycUserId = inserted ?? (await existingProfile(deps, tx, open));
    await lockProfile(tx, { customerId, kycUserId });
    if (inserted === undefined) await updateContact(deps, tx, { kycUserId, open });
    await insertWallet(tx, { customerId, kycUserId, address });
    return { kycUserId };
  });
}

const taxIdIndexOf = ({ vault }: ProfileDeps, { person: { taxIdCountry, taxId } }: NewProfile) =>
  vault.blindIndex('taxId', `${taxIdCountry}:${taxId}`);

/** `undefined` when the customer already has a profile of that person. */
async function insertProfile(deps: ProfileDeps, tx: Transaction, open: NewProfile): Promise<string | undefined> {
  const { customerId, person, externalUserId = null } = open;
  const id = uuidV7();
  const { count } = await tx.kycProfile.createMany({
    data: [
      {
        id,
        customerId,
        externalUserId,
        taxIdIndex: taxIdIndexOf(deps, open),
        emailIndex: deps.vault.blindIndex('email', person.email),
        person: deps.vault.seal(person, profileSealContext(id)),
      },
    ],
    skipDuplicates: true,
  });
  return count === 0 ? undefined : id;
}

async function existingProfile(deps: ProfileDeps, tx: Transaction, open: NewProfile): Promise<string> {
  const { customerId } = open;
  const taxIdIndex = taxIdIndexOf(deps, open);
  const where = { customerId, taxIdIndex, erasedAt: null };
  const profile = await tx.kycProfile.findFirst({ where, select: { id: true } });
  if (profile === null) throw serviceError('KYC_PROFILE_NOT_FOUND');
  return profile.id;
}

interface ReopenedProfile {
  readonly kycUserId: string;
  readonly open: NewProfile;
}

/** Writes only changed fields, so that `updatedAt` stays when nothing changes. */
async function updateContact(
  { vault }: ProfileDeps,
  tx: Transaction,
  { kycUserId, open }: ReopenedProfile,
): Promise<void> {
  const { externalUserId, person } = open;
  const row = await tx.kycProfile.findUniqueOrThrow({ where: { id: kycUserId } });
  const stored = parseKnownPerson(vault.open(row.person, profileSealContext(kycUserId)));
  const newId = externalUserId === undefined || externalUserId === row.externalUserId ? {} : { externalUserId };
  const newEmail =
    person.email === stored.email
      ? {}
      : {
          emailIndex: vault.blindIndex('email', person.email),
          person: vault.seal({ ...stored, email: person.email }, profileSealContext(kycUserId)),
        };
  const data = { ...newId, ...newEmail };
  if (Object.keys(data).length > 0) await tx.kycProfile.update({ where: { id: kycUserId }, data });
}
