import { type Address, type Hex, hexToBigInt, parseAbi } from 'viem';
import { entryPoint07Abi } from 'viem/account-abstraction';
import type { CustomerId } from '../../../auth/principal';
import { NATIVE_TOKEN } from '../../../chains/addresses';
import type { Chain } from '../../../chains/chain';
import type { ServiceError } from '../../../errors/service-error';
import { validationError } from '../../../errors/validation';
import { sleep } from '../../../async/sleep';
import type { Database } from '../../../persistence/database';
import { contractRead } from '../../../rpc/contract-read';
import { balanceRead } from '../../../rpc/erc20';
import type { Rpc } from '../../../rpc/rpc';
import { type SafeAccount, deriveSafeAccount } from '../../../smart-accounts/safe-account';
import { ENTRY_POINT, SAFE } from '../../../smart-accounts/safe-contracts';
import { reserveDeployment } from '../../../smart-accounts/reserve-deployment';
import { findSmartAccount } from '../../../smart-accounts/smart-account';

export interface SafeStateDeps {
  readonly database: Pick<Database, 'smartAccount' | '$queryRaw'>;
  readonly rpc: Pick<Rpc, 'multicall'>;
}

export interface SafeStateRequest {
  readonly customerId: CustomerId;
  readonly chain: Chain;
  readonly account: Address;
  /** The paymaster that pays for gas; the account itself when `undefined`. */
  readonly paymaster: Address | undefined;
  /** The nonce key of the operation, 192 bits. Each key has its own sequence of nonces. */
  readonly nonceKey: bigint;
  readonly signal: AbortSignal;
}

export type SafeDeployment = Pick<SafeAccount, 'factory' | 'factoryData'>;

/** A smart account on the latest block. Native coin in wei. */
export interface SafeState {
  /** The EntryPoint's next nonce for the nonce key. */
  readonly nonce: bigint;
  /** The call that deploys the account; `undefined` when it is deployed. */
  readonly deployment: SafeDeployment | undefined;
  /** Number of owners that have to sign. */
  readonly threshold: number;
  readonly balance: bigint;
  /** Deposit in the EntryPoint of the account, or of the paymaster. */
  readonly deposit: bigint;
}

const safe = parseAbi([
  'function getThreshold() view returns (uint256)',
  'function isModuleEnabled(address module) view returns (bool)',
  'function getStorageAt(uint256 offset, uint256 length) view returns (bytes)',
]);
/** Storage slot of a Safe's fallback handler: keccak256("fallback_manager.handler.address"). */
const FALLBACK_HANDLER = hexToBigInt('0x6c9a6c4a39284e37ed1cf53d337577d14212a4870fb976a4366c693b939918d5');
/** A contract that reports a higher threshold is not a Safe. */
const MAX_OWNERS = 50n;

/** Reads of an account that the service deploys at that moment. */
const MAX_READS = 6;
const REREAD_MS = 500;

/**
 * Reads the account that executes the calls, like `readStateOnce`. While the service deploys it, an operation that deploys it
 * as well would fail: then the deployment is awaited for some seconds.
 */
export async function readSafeState(deps: SafeStateDeps, request: SafeStateRequest): Promise<SafeState> {
  const { customerId, account: address, chain, signal } = request;
  const key = { customerId, chainId: chain.chainId, address };
  for (let reads = 1; ; reads += 1) {
    const state = await readStateOnce(deps, request);
    const isLast = state.deployment === undefined || reads === MAX_READS;
    if (isLast || (await reserveDeployment(deps, key))) return state;
    await sleep(REREAD_MS, signal);
    signal.throwIfAborted();
  }
}

/**
 * Reads the account that executes the calls: a deployed Safe with the ERC-4337 module, or an account that the customer has
 * created and that is not deployed yet.
 *
 * @throws VALIDATION_ERROR on `originAddress` when it is neither, on `output` when the chain has no EntryPoint;
 * PROVIDER_UNAVAILABLE
 */
async function readStateOnce(deps: SafeStateDeps, request: SafeStateRequest): Promise<SafeState> {
  const { chain, account, signal } = request;
  const [nonce, deposit, balance, threshold, isEnabled, handler] = await deps.rpc.multicall(
    chain.chainId,
    [...fundsReads(request), ...safeReads(account)],
    { signal },
  );
  if (nonce === undefined || deposit === undefined || balance === undefined) throw noEntryPointError(chain);
  const funds = { nonce, deposit, balance };
  if (threshold === undefined) return { ...funds, threshold: 1, deployment: await findDeployment(deps, request) };
  if (isEnabled !== true || !isModule(handler) || threshold > MAX_OWNERS) {
    throw originError(
      `is a Safe that does not accept user operations: its fallback handler must be ${SAFE.module4337}`,
    );
  }
  return { ...funds, threshold: Number.parseInt(threshold.toString(), 10), deployment: undefined };
}

function fundsReads({ account, paymaster = account, nonceKey }: SafeStateRequest) {
  const entryPoint = { address: ENTRY_POINT, abi: entryPoint07Abi } as const;
  return [
    contractRead({ ...entryPoint, functionName: 'getNonce', args: [account, nonceKey] }),
    contractRead({ ...entryPoint, functionName: 'balanceOf', args: [paymaster] }),
    balanceRead({ token: NATIVE_TOKEN, owner: account }),
  ] as const;
}

function safeReads(address: Address) {
  return [
    contractRead({ address, abi: safe, functionName: 'getThreshold' }),
    contractRead({ address, abi: safe, functionName: 'isModuleEnabled', args: [SAFE.module4337] }),
    contractRead({ address, abi: safe, functionName: 'getStorageAt', args: [FALLBACK_HANDLER, 1n] }),
  ] as const;
}

const isModule = (handler: Hex | undefined): boolean =>
  handler !== undefined && handler !== '0x' && hexToBigInt(handler) === hexToBigInt(SAFE.module4337);

/** The deployment of the customer's account. @throws VALIDATION_ERROR when the customer has no such account */
async function findDeployment(deps: SafeStateDeps, request: SafeStateRequest): Promise<SafeDeployment> {
  const { customerId, chain, account } = request;
  const { chainId } = chain;
  const created = await findSmartAccount(deps, { customerId, chainId, address: account });
  if (created === undefined) throw await notAnAccountError(deps, request);
  const { address, factory, factoryData } = await deriveSafeAccount(created.owner);
  if (address !== account) throw originError('is another kind of smart account than this service deploys');
  return { factory, factoryData };
}

/** Names the owner's account when the address is an owner. */
async function notAnAccountError(
  deps: SafeStateDeps,
  { customerId, chain, account }: SafeStateRequest,
): Promise<ServiceError> {
  const { chainId, slug } = chain;
  const { address } = await deriveSafeAccount(account);
  const owned = await findSmartAccount(deps, { customerId, chainId, address });
  return owned === undefined
    ? originError(`is not a smart account on ${slug}. Create the account of an owner with POST /smart-account`)
    : originError(`is the owner of the smart account ${address}. Use the smart account as originAddress`);
}

const originError = (message: string): ServiceError => validationError([{ path: 'originAddress', message }]);

const noEntryPointError = ({ slug }: Chain): ServiceError =>
  validationError([{ path: 'output', message: `userOperation is not available on ${slug}: it has no EntryPoint 0.7` }]);
