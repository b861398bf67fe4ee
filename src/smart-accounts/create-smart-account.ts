import { type Address, parseAbi } from 'viem';
import { entryPoint07Abi } from 'viem/account-abstraction';
import { parseEvmAddress, ZERO_ADDRESS } from '../chains/addresses';
import type { Chain } from '../chains/chain';
import type { ChainTable } from '../chains/chain-table';
import { assertNotBlocked } from '../auth/sanctions';
import type { CustomerId } from '../auth/principal';
import { validationError, type ValidationIssue } from '../errors/validation';
import type { Database } from '../persistence/database';
import { contractRead } from '../rpc/contract-read';
import type { Rpc } from '../rpc/rpc';
import { safeAccountOf } from './safe-account';
import { ENTRY_POINT, PROXY_CREATION_CODE, SAFE } from './safe-contracts';
import { findSmartAccount, type SmartAccount } from './smart-account';

export interface CreateSmartAccountDeps {
  readonly database: Pick<Database, '$transaction' | 'smartAccount' | 'customerWallet'>;
  readonly chains: ChainTable;
  readonly rpc: Pick<Rpc, 'serves' | 'multicall'>;
  readonly blockedAddresses: ReadonlySet<string>;
}

export interface CreateSmartAccount {
  readonly customerId: CustomerId;
  readonly owner: string;
  readonly chainId: number;
  readonly signal: AbortSignal;
}

/**
 * The smart account of an owner on a chain: the same one at every call. It is known from now on, and deployed by its
 * first user operation.
 *
 * @throws VALIDATION_ERROR for a malformed owner and for a chain that is not an EVM chain, is not served or lacks Safe's
 * contracts; FORBIDDEN for a blocked address; PROVIDER_UNAVAILABLE when the chain could not be asked.
 */
export async function createSmartAccount(
  deps: CreateSmartAccountDeps,
  { customerId, signal, ...given }: CreateSmartAccount,
): Promise<SmartAccount> {
  const { owner, chain } = parse(deps, given);
  const { address } = await safeAccountOf(owner);
  assertNotBlocked(deps.blockedAddresses, [owner, address]);
  const { chainId } = chain;
  const existing = await findSmartAccount(deps, { customerId, chainId, address });
  if (existing !== undefined) return existing;
  if (!(await hasSafe(deps.rpc, chainId, signal))) {
    throw validationError([{ path: 'chainId', message: `has no smart accounts: ${chain.slug} lacks their contracts` }]);
  }
  await save(deps.database, customerId, { address, owner, chainId });
  return { address, owner, chainId };
}

/** An account is one of the customer's wallets from the start. */
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

interface Parsed {
  readonly owner: Address;
  readonly chain: Chain;
}

function parse(deps: CreateSmartAccountDeps, given: Pick<CreateSmartAccount, 'owner' | 'chainId'>): Parsed {
  const owner = parseEvmAddress(given.owner);
  const chain = deps.chains.byId(given.chainId);
  const issues: ValidationIssue[] = [];
  if (owner === undefined) {
    issues.push({ path: 'owner', message: 'must be an EVM address, with a valid checksum when the case is mixed' });
  } else if (isReserved(owner)) {
    issues.push({ path: 'owner', message: 'is a reserved address, not a wallet' });
  }
  const problem = chainProblem(deps, chain);
  if (problem !== undefined) issues.push({ path: 'chainId', message: problem });
  if (issues.length > 0 || owner === undefined || chain === undefined) throw validationError(issues);
  return { owner, chain };
}

function chainProblem({ rpc }: CreateSmartAccountDeps, chain: Chain | undefined): string | undefined {
  if (chain === undefined) return 'is not a known chain';
  if (chain.kind !== 'evm') return 'must be an EVM chain';
  return rpc.serves(chain.chainId) ? undefined : `is not served: ${chain.slug}`;
}

/** The zero address, the marks in Safe's list of owners and the precompiles, below 2^16: nobody has their keys. */
const isReserved = (address: string): boolean => /^0x0{36}/.test(address);

const safe = parseAbi([
  'function VERSION() view returns (string)',
  'function proxyCreationCode() view returns (bytes)',
  'function SUPPORTED_ENTRYPOINT() view returns (address)',
]);

/** True when the chain has everything that accounts are made of. An address elsewhere might never become an account. */
async function hasSafe(rpc: Pick<Rpc, 'multicall'>, chainId: number, signal: AbortSignal): Promise<boolean> {
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
