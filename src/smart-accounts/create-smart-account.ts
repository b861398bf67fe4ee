import { type Address, parseAbi } from 'viem';
import { entryPoint07Abi } from 'viem/account-abstraction';
import { evmAddressProblem, parseEvmAddress, unownedAddressProblem, ZERO_ADDRESS } from '../chains/addresses';
import type { Chain } from '../chains/chain';
import { type ChainTable, unknownChainProblem } from '../chains/chain-table';
import { assertNotBlocked } from '../auth/sanctions';
import type { CustomerId } from '../auth/principal';
import { validationError, type ValidationIssue } from '../errors/validation';
import type { Database } from '../persistence/database';
import { contractRead } from '../rpc/contract-read';
import type { Rpc } from '../rpc/rpc';
import { deriveSafeAccount } from './safe-account';
import { ENTRY_POINT, PROXY_CREATION_CODE, SAFE } from './safe-contracts';
import { findSmartAccount, type SmartAccount } from './smart-account';

export interface CreateSmartAccountDeps {
  readonly database: Pick<Database, '$transaction' | 'smartAccount' | 'customerWallet'>;
  readonly chains: ChainTable;
  readonly rpc: Pick<Rpc, 'serves' | 'multicall'>;
  readonly blockedAddresses: ReadonlySet<string>;
}

export interface CreateSmartAccountParameters {
  readonly customerId: CustomerId;
  readonly owner: string;
  readonly chainId: number;
  readonly signal: AbortSignal;
}

/**
 * Creates the smart account of an owner on a chain. Idempotent. The account is only registered here; its first user
 * operation deploys it.
 *
 * @throws VALIDATION_ERROR for a malformed owner and for a chain that is not an EVM chain, is not served or lacks Safe's
 * contracts; FORBIDDEN for a blocked address; PROVIDER_UNAVAILABLE when the chain cannot be read.
 */
export async function createSmartAccount(
  deps: CreateSmartAccountDeps,
  { customerId, signal, ...given }: CreateSmartAccountParameters,
): Promise<SmartAccount> {
  const { owner, chain } = parse(deps, given);
  const { address } = await deriveSafeAccount(owner);
  assertNotBlocked(deps.blockedAddresses, [owner, address]);
  const { chainId } = chain;
  const existing = await findSmartAccount(deps, { customerId, chainId, address });
  if (existing !== undefined) return existing;
  if (!(await hasSafeContracts(deps.rpc, chainId, signal))) {
    throw validationError([{ path: 'chainId', message: `has no smart accounts: ${chain.slug} lacks their contracts` }]);
  }
  await save(deps.database, customerId, { address, owner, chainId });
  return { address, owner, chainId };
}

/** Stores the account, also as one of the customer's wallets. */
async function save(
  database: CreateSmartAccountDeps['database'],
  customerId: CustomerId,
  account: SmartAccount,
): Promise<void> {
  const { address } = account;
  await database.$transaction([
    database.smartAccount.createMany({ data: [{ customerId, ...account }], skipDuplicates: true }),
    database.customerWallet.createMany({ data: [{ customerId, address }], skipDuplicates: true }),
  ]);
}

interface AccountOwner {
  readonly owner: Address;
  readonly chain: Chain;
}

function parse(
  deps: CreateSmartAccountDeps,
  given: Pick<CreateSmartAccountParameters, 'owner' | 'chainId'>,
): AccountOwner {
  const owner = parseEvmAddress(given.owner);
  const chain = deps.chains.byId(given.chainId);
  const issues: ValidationIssue[] = [];
  const ownerProblem = owner === undefined ? evmAddressProblem(given.owner) : unownedAddressProblem(owner);
  if (ownerProblem !== undefined) issues.push({ path: 'owner', message: ownerProblem });
  const problem = chainProblem(deps, chain);
  if (problem !== undefined) issues.push({ path: 'chainId', message: problem });
  if (issues.length > 0 || owner === undefined || chain === undefined) throw validationError(issues);
  return { owner, chain };
}

function chainProblem({ rpc, chains }: CreateSmartAccountDeps, chain: Chain | undefined): string | undefined {
  if (chain === undefined) return unknownChainProblem(chains.all.filter(({ kind }) => kind === 'evm'));
  if (chain.kind !== 'evm') return 'must be an EVM chain';
  return rpc.serves(chain.chainId) ? undefined : `is not supported: ${chain.slug}`;
}

const safe = parseAbi([
  'function VERSION() view returns (string)',
  'function proxyCreationCode() view returns (bytes)',
  'function SUPPORTED_ENTRYPOINT() view returns (address)',
]);

/** True when the chain has all contracts that an account needs. Elsewhere it could never be deployed. */
async function hasSafeContracts(rpc: Pick<Rpc, 'multicall'>, chainId: number, signal: AbortSignal): Promise<boolean> {
  const [version, creationCode, entryPoint, nonce] = await rpc.multicall(
    chainId,
    [
      contractRead({ address: SAFE.singleton, abi: safe, functionName: 'VERSION' }),
      contractRead({ address: SAFE.proxyFactory, abi: safe, functionName: 'proxyCreationCode' }),
      contractRead({ address: SAFE.module4337, abi: safe, functionName: 'SUPPORTED_ENTRYPOINT' }),
      contractRead({ address: ENTRY_POINT, abi: entryPoint07Abi, functionName: 'getNonce', args: [ZERO_ADDRESS, 0n] }),
    ],
    { signal },
  );
  const isSafe = version === SAFE.version && creationCode === PROXY_CREATION_CODE;
  return isSafe && entryPoint === ENTRY_POINT && nonce === 0n;
}
