import { type Address, type Hex, parseAbi } from 'viem';
import { entryPoint07Abi } from 'viem/account-abstraction';
import {
  addressKey,
  evmAddressProblem,
  parseEvmAddress,
  unownedAddressProblem,
  ZERO_ADDRESS,
} from '../chains/addresses';
import type { Chain } from '../chains/chain';
import { type ChainTable, unknownChainProblem } from '../chains/chain-table';
import { createSingleFlight } from '../async/single-flight';
import { assertNotBlocked } from '../auth/sanctions';
import type { CustomerId } from '../auth/principal';
import { isServiceError, type ServiceError } from '../errors/service-error';
import { validationError, type ValidationIssue } from '../errors/validation';
import type { Database, Transaction } from '../persistence/database';
import { contractRead } from '../rpc/contract-read';
import type { Rpc } from '../rpc/rpc';
import { deriveSafeAccount } from './safe-account';
import { ENTRY_POINT, PROXY_CREATION_CODE, SAFE } from './safe-contracts';
import { findSmartAccount, type OwnedAccount, type SmartAccount, type SmartAccountKey } from './smart-account';

export interface CreateSmartAccountDeps {
  readonly database: Pick<Database, '$transaction' | 'smartAccount' | 'customerWallet'>;
  readonly chains: ChainTable;
  readonly rpc: Pick<Rpc, 'serves' | 'multicall' | 'request'>;
  readonly blockedAddresses: ReadonlySet<string>;
  /** Requests deployments; absent where the first user operation deploys the account. */
  readonly deployments?: DeploymentRequester | undefined;
}

/** Requests that the service deploys accounts. */
export interface DeploymentRequester {
  /** True when the deployment was never requested, or has failed and may be repeated. */
  isOpen(account: SmartAccountKey): Promise<boolean>;
  /**
   * Requests the deployment in a transaction, unless a concurrent request was first.
   *
   * Requests none at the limit of the customer. @throws RATE_LIMIT_EXCEEDED when the customer has too many open actions
   */
  request(tx: Transaction, account: OwnedAccount): Promise<void>;
}

export interface CreateSmartAccountParameters {
  readonly customerId: CustomerId;
  readonly owner: string;
  readonly chainId: number;
  readonly signal: AbortSignal;
}

/** Like `createSmartAccount`. Concurrent requests for one account share one transaction of this process. */
export function smartAccountCreator(
  deps: CreateSmartAccountDeps,
): (parameters: CreateSmartAccountParameters) => Promise<SmartAccount> {
  const flight = createSingleFlight<SmartAccount>();
  return ({ signal, ...account }) => {
    const { customerId, chainId, owner } = account;
    const key = [customerId, String(chainId), addressKey(owner)].join(' ');
    return flight.join(key, (shared) => createSmartAccount(deps, { ...account, signal: shared }), signal);
  };
}

/**
 * Creates the smart account of an owner on a chain, and requests its deployment where the service deploys accounts.
 * Idempotent. Elsewhere, and at the limits of the customer, the account is only registered; its first user operation deploys it.
 *
 * The owner must be a wallet with a private key: bundlers reject operations whose signature another contract checks (EIP-1271).
 *
 * @throws VALIDATION_ERROR for a malformed owner or a contract, and for a chain that is not an EVM chain, is not served or
 * lacks Safe's contracts; FORBIDDEN for a blocked address; PROVIDER_UNAVAILABLE when the chain cannot be read.
 */
export async function createSmartAccount(
  deps: CreateSmartAccountDeps,
  { customerId, signal, ...given }: CreateSmartAccountParameters,
): Promise<SmartAccount> {
  const { owner, chain } = parse(deps, given);
  const { address } = await deriveSafeAccount(owner);
  assertNotBlocked(deps.blockedAddresses, [owner, address]);
  const { chainId } = chain;
  const key = { customerId, chainId, address };
  const existing = await findSmartAccount(deps, key);
  const mayDeploy = (await deps.deployments?.isOpen(key)) ?? false;
  if (existing !== undefined) {
    // The account is stored: it is returned although its deployment cannot be requested at the moment.
    if (mayDeploy) await redeploy(deps, { customerId, ...existing }).catch(ignoreServiceError);
    return existing;
  }
  const account = { address, owner, chainId };
  const codes = await readCodes(deps.rpc, account);
  if (isContract(codes.owner)) throw contractOwnerError(chain);
  if (!(await hasSafeContracts(deps.rpc, chainId, signal))) throw noContractsError(chain);
  const owned = { customerId, ...account };
  if (mayDeploy && codes.account === undefined) await save(deps, owned, { deploys: true }).catch(ignoreServiceError);
  // Also without its deployment, which a later request repeats.
  await save(deps, owned, { deploys: false });
  return account;
}

/** Requests the deployment of an account that was created before, unless it is deployed. */
async function redeploy(deps: CreateSmartAccountDeps, account: OwnedAccount): Promise<void> {
  const codes = await readCodes(deps.rpc, account);
  if (codes.account === undefined) await save(deps, account, { deploys: true });
}

function ignoreServiceError(error: unknown): void {
  if (!isServiceError(error)) throw error;
}

interface Codes {
  /** Code of the addresses; `undefined` without any. */
  readonly owner: Hex | undefined;
  readonly account: Hex | undefined;
}

const readCodes = (rpc: Pick<Rpc, 'request'>, { chainId, owner, address }: SmartAccount): Promise<Codes> =>
  rpc.request(chainId, async (client) => {
    const [ofOwner, ofAccount] = await Promise.all([client.getCode({ address: owner }), client.getCode({ address })]);
    return { owner: ofOwner, account: ofAccount };
  });

/** What the code of a wallet begins with that delegates to a contract (EIP-7702): its private key still signs. */
const DELEGATION = '0xef0100';
const isContract = (code: Hex | undefined): boolean => code !== undefined && !code.startsWith(DELEGATION);

const contractOwnerError = ({ slug }: Chain): ServiceError =>
  validationError([
    {
      path: 'owner',
      message: `is a contract on ${slug}: the owner must be a wallet with a private key, because bundlers reject operations whose signature another contract checks (EIP-1271)`,
    },
  ]);

const noContractsError = ({ slug }: Chain): ServiceError =>
  validationError([{ path: 'chainId', message: `has no smart accounts: ${slug} lacks their contracts` }]);

/** Stores the account, also as one of the customer's wallets, and requests its deployment. */
async function save(
  { database, deployments }: CreateSmartAccountDeps,
  { customerId, ...account }: OwnedAccount,
  { deploys }: { readonly deploys: boolean },
): Promise<void> {
  const { address } = account;
  await database.$transaction(async (tx) => {
    await tx.smartAccount.createMany({ data: [{ customerId, ...account }], skipDuplicates: true });
    await tx.customerWallet.createMany({ data: [{ customerId, address }], skipDuplicates: true });
    if (deploys) await deployments?.request(tx, { customerId, ...account });
  });
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
  if (chain === undefined) return unknownChainProblem(chains.served.filter(({ kind }) => kind === 'evm'));
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
