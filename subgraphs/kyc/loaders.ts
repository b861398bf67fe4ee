import DataLoader from 'dataloader';
import type { CustomerId } from '../../src/auth/principal';
import type { IdentityDeps } from '../../src/kyc/identity-deps';
import { knownStatuses, knownStatusesOfWallets, type KycStatus } from '../../src/kyc/status';

export type KycLoader = DataLoader<string, KycStatus | undefined>;
type LoaderDeps = Pick<IdentityDeps, 'database' | 'brands'>;

/** The customer's profiles, by their ids; one query for all that a request asks for. */
export const createProfileLoader = (deps: LoaderDeps, customerId: CustomerId): KycLoader =>
  new DataLoader((kycUserIds) => knownStatuses(deps, { customerId, kycUserIds }));

/** The profiles of the customer's wallets, by their addresses; one query for all that a request asks for. */
export const createWalletProfileLoader = (deps: LoaderDeps, customerId: CustomerId): KycLoader =>
  new DataLoader((addresses) => knownStatusesOfWallets(deps, { customerId, addresses }));
