import { type Address, type Hex, hexToBigInt, parseAbi } from 'viem';
import { entryPoint07Abi } from 'viem/account-abstraction';
import type { CustomerId } from '../../../auth/principal';
import { NATIVE_TOKEN } from '../../../chains/addresses';
import type { Chain } from '../../../chains/chain';
import type { ServiceError } from '../../../errors/service-error';
import { validationError } from '../../../errors/validation';
import { contractRead } from '../../../rpc/contract-read';
import { balanceRead } from '../../../rpc/erc20';
import type { Rpc } from '../../../rpc/rpc';
import { type SafeAccount, safeAccountOf } from '../../../smart-accounts/safe-account';
import { ENTRY_POINT, SAFE } from '../../../smart-accounts/safe-contracts';
import { findSmartAccount, type SmartAccountStore } from '../../../smart-accounts/smart-account';

export interface AccountDeps extends SmartAccountStore {
  readonly rpc: Pick<Rpc, 'multicall'>;
}

export interface AccountQuestion {
  readonly customerId: CustomerId;
  readonly chain: Chain;
  readonly account: Address;
  /** Who pays for the gas of the account; the account itself when `undefined`. */
  readonly paymaster: Address | undefined;
  /** The lane of nonces that the operation takes, 192 bits. */
  readonly nonceKey: bigint;
  readonly signal: AbortSignal;
}

export type Deployment = Pick<SafeAccount, 'factory' | 'factoryData'>;

/** A smart account as it is on the newest block. Coin in wei. */
export interface AccountState {
  /** What the EntryPoint expects of the next operation of the lane. */
  readonly nonce: bigint;
  /** How to deploy it; `undefined` when it is there. */
  readonly deployment: Deployment | undefined;
  /** Owners that have to sign. */
  readonly threshold: number;
  readonly balance: bigint;
  /** What whoever pays for the gas has in the EntryPoint. */
  readonly deposit: bigint;
}

const safe = parseAbi([
  'function getThreshold() view returns (uint256)',
  'function isModuleEnabled(address module) view returns (bool)',
  'function getStorageAt(uint256 offset, uint256 length) view returns (bytes)',
]);
/** Where a Safe keeps its fallback handler: keccak256("fallback_manager.handler.address"). */
const FALLBACK_HANDLER = hexToBigInt('0x6c9a6c4a39284e37ed1cf53d337577d14212a4870fb976a4366c693b939918d5');
/** More owners than ever sign one operation: a contract that names more is none that was read here. */
const MOST_OWNERS = 50n;

/**
 * The account that is to make the calls: a Safe with the module for ERC-4337, or one that the customer has created and
 * that is not deployed yet.
 *
 * @throws VALIDATION_ERROR on `originAddress` when it is neither, on `output` when the chain has no EntryPoint;
 * PROVIDER_UNAVAILABLE
 */
export async function readAccount(deps: AccountDeps, question: AccountQuestion): Promise<AccountState> {
  const { chain, account, signal } = question;
  const [nonce, deposit, balance, threshold, isEnabled, handler] = await deps.rpc.multicall(
    chain.chainId,
    [...fundsReads(question), ...safeReads(account)],
    { signal },
  );
  if (nonce === undefined || deposit === undefined || balance === undefined) throw noEntryPoint(chain);
  const funds = { nonce, deposit, balance };
  if (threshold === undefined) return { ...funds, threshold: 1, deployment: await deploymentOf(deps, question) };
  if (isEnabled !== true || !isModule(handler) || threshold > MOST_OWNERS) {
    throw badOrigin(`is a Safe that takes no user operations: its fallback handler must be ${SAFE.module4337}`);
  }
  return { ...funds, threshold: Number.parseInt(threshold.toString(), 10), deployment: undefined };
}

function fundsReads({ account, paymaster = account, nonceKey }: AccountQuestion) {
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

/** How the customer's account is deployed. @throws VALIDATION_ERROR when the customer has none of that address */
async function deploymentOf(deps: AccountDeps, question: AccountQuestion): Promise<Deployment> {
  const { customerId, chain, account } = question;
  const { chainId } = chain;
  const created = await findSmartAccount(deps, { customerId, chainId, address: account });
  if (created === undefined) throw await notAnAccount(deps, question);
  const { address, factory, factoryData } = await safeAccountOf(created.owner);
  if (address !== account) throw badOrigin('is a smart account of another kind than this service deploys');
  return { factory, factoryData };
}

/** Who gives an owner most likely means its account. */
async function notAnAccount(deps: AccountDeps, { customerId, chain, account }: AccountQuestion): Promise<ServiceError> {
  const { chainId, slug } = chain;
  const { address } = await safeAccountOf(account);
  const owned = await findSmartAccount(deps, { customerId, chainId, address });
  return owned === undefined
    ? badOrigin(`is no smart account on ${slug}: POST /smart-account creates the one of an owner`)
    : badOrigin(`is the owner of the smart account ${address}: that is the originAddress of its user operations`);
}

const badOrigin = (message: string): ServiceError => validationError([{ path: 'originAddress', message }]);

const noEntryPoint = ({ slug }: Chain): ServiceError =>
  validationError([{ path: 'output', message: `userOperation is not available on ${slug}: it has no EntryPoint 0.7` }]);
