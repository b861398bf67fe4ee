import { assertNotBlocked } from '../auth/sanctions';
import { isUnownedAddress } from '../chains/addresses';
import { serviceError } from '../errors/service-error';
import { validationError } from '../errors/validation';
import type { Database, Transaction } from '../persistence/database';
import { NO_PRIVATE_KEY } from './evidence/read-input';
import { lockProfile, type ProfileKey } from './profile';

/** The wallets linked to a profile. */
export interface KycWallets {
  readonly kycUserId: string;
  /** The primary wallet: the one that was linked first. */
  readonly walletAddress: string;
  readonly walletAddresses: readonly string[];
}

/** `address` is checksummed, or a Solana public key. */
export interface WalletLink extends ProfileKey {
  readonly address: string;
}

/** @throws KYC_PROFILE_NOT_FOUND */
export async function listKycWallets(database: Pick<Database, 'kycWallet'>, key: ProfileKey): Promise<KycWallets> {
  const { customerId, kycUserId } = key;
  const rows = await database.kycWallet.findMany({
    where: { profileId: kycUserId, customerId, profile: { erasedAt: null } },
    orderBy: { number: 'asc' },
    select: { address: true },
  });
  const walletAddresses = rows.map(({ address }) => address);
  const [walletAddress] = walletAddresses;
  // A profile without a wallet does not exist.
  if (walletAddress === undefined) throw serviceError('KYC_PROFILE_NOT_FOUND');
  return { kycUserId, walletAddress, walletAddresses };
}

/** Links a wallet on a caller's request. @throws VALIDATION_ERROR without a private key, FORBIDDEN for blocked wallets; as `linkKycWallet` */
export async function linkCallerWallet(
  { database, blockedAddresses }: { readonly database: Database; readonly blockedAddresses: ReadonlySet<string> },
  link: WalletLink,
): Promise<KycWallets> {
  if (isUnownedAddress(link.address)) throw validationError([{ path: 'walletAddress', message: NO_PRIVATE_KEY }]);
  assertNotBlocked(blockedAddresses, [link.address]);
  return linkKycWallet(database, link);
}

/**
 * Links a wallet to a profile. Idempotent.
 *
 * @throws KYC_PROFILE_NOT_FOUND; KYC_WALLET_ALREADY_LINKED when it is linked to another profile of the customer
 */
export async function linkKycWallet(database: Database, link: WalletLink): Promise<KycWallets> {
  return database.$transaction(async (tx) => {
    await lockProfile(tx, link);
    await insertWallet(tx, link);
    return listKycWallets(tx, link);
  });
}

/** @throws KYC_WALLET_ALREADY_LINKED */
export async function insertWallet(tx: Transaction, { customerId, kycUserId, address }: WalletLink): Promise<void> {
  const { count } = await tx.kycWallet.createMany({
    data: [{ customerId, profileId: kycUserId, address }],
    skipDuplicates: true,
  });
  if (count > 0) {
    await touch(tx, kycUserId);
    await tx.customerWallet.createMany({ data: [{ customerId, address }], skipDuplicates: true });
    return;
  }
  const holder = await tx.kycWallet.findFirst({ where: { customerId, address }, select: { profileId: true } });
  if (holder?.profileId !== kycUserId) throw serviceError('KYC_WALLET_ALREADY_LINKED');
}

/** A change of the wallets is a change of the profile. */
const touch = (tx: Transaction, id: string): Promise<unknown> =>
  tx.kycProfile.update({ where: { id }, data: { updatedAt: new Date() }, select: { id: true } });

/** Unlinks a wallet on a caller's request. @throws FORBIDDEN for blocked wallets; as `unlinkKycWallet` */
export async function unlinkCallerWallet(
  { database, blockedAddresses }: { readonly database: Database; readonly blockedAddresses: ReadonlySet<string> },
  link: WalletLink,
): Promise<KycWallets> {
  assertNotBlocked(blockedAddresses, [link.address]);
  return unlinkKycWallet(database, link);
}

/**
 * Unlinks a wallet. The next wallet becomes the primary one when the primary one is unlinked.
 *
 * @throws KYC_PROFILE_NOT_FOUND, KYC_WALLET_NOT_LINKED, KYC_LAST_WALLET
 */
export async function unlinkKycWallet(database: Database, link: WalletLink): Promise<KycWallets> {
  const { customerId, kycUserId, address } = link;
  return database.$transaction(async (tx) => {
    await lockProfile(tx, link);
    const { walletAddresses } = await listKycWallets(tx, link);
    if (!walletAddresses.includes(address)) throw serviceError('KYC_WALLET_NOT_LINKED');
    if (walletAddresses.length === 1) throw serviceError('KYC_LAST_WALLET');
    await tx.kycWallet.deleteMany({ where: { customerId, profileId: kycUserId, address } });
    await touch(tx, kycUserId);
    return listKycWallets(tx, link);
  });
}
