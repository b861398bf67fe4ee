import { type Hex, keccak256, type PublicClient, type WalletClient } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import type { Chain } from '../chains/chain';
import {
  CREATE2_FACTORY,
  STRATEGY_ROUTER_ADDRESS,
  STRATEGY_ROUTER_CODE_HASH,
  STRATEGY_ROUTER_DEPLOYMENT,
} from '../chains/strategy-router';
import { AdminProblem } from './admin-problem';

export interface RouterDeployer {
  readonly client: Pick<PublicClient, 'getChainId' | 'getCode' | 'waitForTransactionReceipt'>;
  readonly wallet: Pick<WalletClient, 'sendTransaction'>;
  /** Pays for the gas. The address of the router does not depend on it. */
  readonly account: PrivateKeyAccount | undefined;
}

/**
 * Deploys the router of strategies at its address, unless it is there. Idempotent, also when others have deployed it: its code
 * decides. Resolves to the hash of the transaction; `undefined` when none was needed.
 *
 * @throws AdminProblem when the chain cannot have it, or its code is not there afterwards
 */
export async function deployRouter(deployer: RouterDeployer, { chainId, slug }: Chain): Promise<Hex | undefined> {
  const { client, wallet, account } = deployer;
  const reported = await client.getChainId();
  if (reported !== chainId)
    throw problem(`The node of ${slug} is one of the chain ${reported.toString()}, not ${chainId.toString()}.`);
  if (await hasRouter(deployer)) return undefined;
  if ((await client.getCode({ address: CREATE2_FACTORY })) === undefined)
    throw problem(`The chain ${slug} has no deterministic deployment proxy at ${CREATE2_FACTORY}. Deploy it first.`);
  if (account === undefined)
    throw problem('ROUTER_DEPLOYER_KEY is required: the private key of an account with coin for the gas.');
  const hash = await wallet.sendTransaction({
    account,
    chain: null,
    to: CREATE2_FACTORY,
    data: STRATEGY_ROUTER_DEPLOYMENT,
  });
  const { status } = await client.waitForTransactionReceipt({ hash });
  if (status !== 'success') throw problem(`The transaction ${hash} reverted.`);
  if (!(await hasRouter(deployer))) throw problem(`The transaction ${hash} has deployed nothing at its address.`);
  return hash;
}

/** @throws AdminProblem when other code is at the address of the router */
async function hasRouter({ client }: RouterDeployer): Promise<boolean> {
  const code = await client.getCode({ address: STRATEGY_ROUTER_ADDRESS });
  if (code === undefined) return false;
  if (keccak256(code) === STRATEGY_ROUTER_CODE_HASH) return true;
  throw problem(`The code at ${STRATEGY_ROUTER_ADDRESS} is not that of the router.`);
}

const problem = (sentence: string): AdminProblem => new AdminProblem([sentence], 'failure');
