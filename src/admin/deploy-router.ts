import {
  BaseError,
  ContractFunctionRevertedError,
  type Hex,
  keccak256,
  type PublicClient,
  type WalletClient,
  zeroAddress,
} from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import type { Chain } from '../chains/chain';
import {
  CREATE2_FACTORY,
  STRATEGY_ROUTER_ADDRESS,
  STRATEGY_ROUTER_CODE_HASH,
  STRATEGY_ROUTER_DEPLOYMENT,
} from '../chains/strategy-router';
import { ROUTER_ABI } from '../strategies/router/router-abi';
import { AdminProblem } from './admin-problem';

export interface RouterDeployer {
  readonly client: Pick<PublicClient, 'getChainId' | 'getCode' | 'simulateContract' | 'waitForTransactionReceipt'>;
  readonly wallet: Pick<WalletClient, 'sendTransaction'>;
  /** Pays for the gas. The address of the router does not depend on it. */
  readonly account: PrivateKeyAccount | undefined;
}

/**
 * Deploys the router of strategies at its address, unless it is there. Idempotent, also when others have deployed it: its code
 * decides. Resolves to the hash of the transaction; `undefined` when none was needed.
 *
 * @throws AdminProblem when the chain cannot have it, its code is not there afterwards, or does not run there
 */
export async function deployRouter(deployer: RouterDeployer, { chainId, slug }: Chain): Promise<Hex | undefined> {
  const { client } = deployer;
  const reported = await client.getChainId();
  if (reported !== chainId)
    throw problem(`The node of ${slug} serves the chain ${reported.toString()}, expected ${chainId.toString()}.`);
  const hash = (await hasRouter(deployer)) ? undefined : await deploy(deployer, slug);
  if (!(await runs(deployer)))
    throw problem(`The router does not run on ${slug}: the chain lacks transient storage (EIP-1153).`);
  return hash;
}

/** `undefined` when another account has deployed it meanwhile. @throws AdminProblem */
async function deploy(deployer: RouterDeployer, slug: string): Promise<Hex | undefined> {
  const { client, account } = deployer;
  if ((await client.getCode({ address: CREATE2_FACTORY })) === undefined)
    throw problem(`The chain ${slug} has no deterministic deployment proxy at ${CREATE2_FACTORY}. Deploy it first.`);
  if (account === undefined)
    throw problem('ROUTER_DEPLOYER_KEY is required: the private key of an account with coin for the gas.');
  try {
    return await send(deployer, account);
  } catch (error) {
    if (await hasRouter(deployer)) return undefined;
    throw error;
  }
}

async function send(deployer: RouterDeployer, account: PrivateKeyAccount): Promise<Hex> {
  const { client, wallet } = deployer;
  const call = { to: CREATE2_FACTORY, data: STRATEGY_ROUTER_DEPLOYMENT } as const;
  const hash = await wallet.sendTransaction({ account, chain: null, ...call });
  const { status } = await client.waitForTransactionReceipt({ hash });
  if (status !== 'success') throw problem(`The transaction ${hash} reverted.`);
  if (!(await hasRouter(deployer))) throw problem(`The transaction ${hash} has deployed nothing at its address.`);
  return hash;
}

/** True when the router refuses a call that is too late, with its own error. */
async function runs({ client }: RouterDeployer): Promise<boolean> {
  const [address, none] = [STRATEGY_ROUTER_ADDRESS, zeroAddress];
  const terms = {
    market: none,
    asset: none,
    receipt: none,
    assets: 0n,
    receiver: none,
    minReceipt: 0n,
    fees: [],
    deadline: 0n,
  };
  try {
    await client.simulateContract({ address, abi: ROUTER_ABI, functionName: 'depositVault', args: [terms] });
    return false;
  } catch (error) {
    if (!(error instanceof BaseError)) throw error;
    const reverted = error.walk((cause) => cause instanceof ContractFunctionRevertedError);
    return reverted instanceof ContractFunctionRevertedError && reverted.data?.errorName === 'Expired';
  }
}

/** @throws AdminProblem when other code is at the address of the router */
async function hasRouter({ client }: RouterDeployer): Promise<boolean> {
  const code = await client.getCode({ address: STRATEGY_ROUTER_ADDRESS });
  if (code === undefined) return false;
  if (keccak256(code) === STRATEGY_ROUTER_CODE_HASH) return true;
  throw problem(`The code at ${STRATEGY_ROUTER_ADDRESS} is not that of the router.`);
}

const problem = (sentence: string): AdminProblem => new AdminProblem([sentence], 'failure');
