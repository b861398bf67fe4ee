import DataLoader from 'dataloader';
import type { CustomerId } from '../../src/auth/principal';
import type { IdentityDeps } from '../../src/kyc/identity-deps';
import { loadKycStatuses, loadKycStatusesOfWallets, type KycStatus } from '../../src/kyc/kyc-status';

export type KycLoader = DataLoader<string, KycStatus | undefined>;
type LoaderDeps = Pick<IdentityDeps, 'database' | 'brands'>;

/** Loads the customer's profiles by id, with one query for each request. */
export const createProfileLoader = (deps: LoaderDeps, customerId: CustomerId): KycLoader =>
  new DataLoader((kycUserIds) => loadKycStatuses(deps, { customerId, kycUserIds }));

/** Loads the profiles of the customer's wallets by address, with one query for each request. */
export const createWalletProfileLoader = (deps: LoaderDeps, customerId: CustomerId): KycLoader =>
  new DataLoader((addresses) => loadKycStatusesOfWallets(deps, { customerId, addresses }));
