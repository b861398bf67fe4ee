import type { RequestContext } from '../../src/auth/request-context';
import type { IdentityDeps } from '../../src/kyc/identity-deps';
import { requireCustomer } from '../schema/authorization';
import { buildSubgraph, type Subgraph } from '../schema/build-subgraph';
import { createProfileLoader } from './loaders';
import { KycResolver } from './resolver';
import { Wallet } from './types';
import { KycWalletResolver } from './wallet-resolver';

/** The subgraph of KYC profiles, their wallets and their ramp limits. */
export function createKycSubgraph(deps: IdentityDeps): Subgraph {
  const createLoader = (context: RequestContext) => createProfileLoader(deps, requireCustomer(context));
  return buildSubgraph({
    name: 'kyc',
    resolvers: [new KycResolver(deps), new KycWalletResolver(deps)],
    orphanedTypes: [Wallet],
    references: { KycProfile: ({ kycUserId }, context) => context.loader(createLoader).load(String(kycUserId)) },
  });
}
