import { BaseError, createPublicClient, createWalletClient, http, keccak256 } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { createJsonRpc, type JsonRpc } from '../../devnet/json-rpc';
import { asChain } from '../contract/local-swaps';
import { minedReceipt } from '../setup/mined-receipt';
import { chainNamed, snapshotOf, type TestUniverse, universeOfTests } from '../setup/universe-of-tests';
import { rejection } from '../swaps/swap-world';
import { CREATE2_FACTORY, STRATEGY_ROUTER_ADDRESS, STRATEGY_ROUTER_CODE_HASH } from '../../src/chains/strategy-router';
import type { AdminProblem } from '../../src/admin/admin-problem';
import { deployRouter, type RouterDeployer } from '../../src/admin/deploy-router';

let universe: TestUniverse;
let json: JsonRpc;
let deployer: RouterDeployer;
let revert: () => Promise<void>;
const chainOf = (slug: 'devnet' | 'devnet-l2') => asChain(chainNamed(universe, slug));

beforeEach(async () => {
  universe = await universeOfTests();
  const { rpcUrl } = chainNamed(universe, 'devnet-l2');
  revert = await snapshotOf(chainNamed(universe, 'devnet-l2'));
  json = createJsonRpc(rpcUrl);
  const options = { transport: http(rpcUrl), pollingInterval: 10 };
  const account = privateKeyToAccount(universe.accounts[2]!.privateKey);
  deployer = { client: createPublicClient(options), wallet: createWalletClient(options), account };
});
afterEach(() => revert());

/** As on a chain where the contract was never deployed. */
async function without(address: string): Promise<void> {
  await json.call('anvil_setCode', [address, '0x']);
  await json.call('anvil_setNonce', [address, '0x0']);
}

const codeHash = async () => {
  const code = await deployer.client.getCode({ address: STRATEGY_ROUTER_ADDRESS });
  return code === undefined ? undefined : keccak256(code);
};
const problemsOf = async (work: Promise<unknown>) => ((await rejection(work)) as AdminProblem).problems;

describe('the deployment of the router', () => {
  it('puts its code at its address, and is repeated without a transaction', async () => {
    const chain = chainOf('devnet-l2');
    await without(STRATEGY_ROUTER_ADDRESS);
    expect(await codeHash()).toBeUndefined();
    expect(await deployRouter(deployer, chain)).toMatch(/^0x[0-9a-f]{64}$/);
    expect(await codeHash()).toBe(STRATEGY_ROUTER_CODE_HASH);
    expect(await deployRouter({ ...deployer, account: undefined }, chain)).toBeUndefined();
  });

  it('is refused on a chain where the code is at its address and does not run', async () => {
    const simulateContract = () => Promise.reject(new BaseError('invalid opcode: TLOAD'));
    const client = { ...deployer.client, simulateContract } as RouterDeployer['client'];
    expect(await problemsOf(deployRouter({ ...deployer, client }, chainOf('devnet-l2')))).toEqual([
      'The router does not run on devnet-l2: the chain lacks transient storage (EIP-1153).',
    ]);
  });

  it('needs no transaction of its own when another account deploys it meanwhile', async () => {
    await without(STRATEGY_ROUTER_ADDRESS);
    const { wallet } = deployer;
    const late: RouterDeployer['wallet'] = {
      async sendTransaction(request: Parameters<typeof wallet.sendTransaction>[0]) {
        const hash = await wallet.sendTransaction(request);
        await minedReceipt(deployer.client, hash);
        throw new Error('execution reverted');
      },
    } as RouterDeployer['wallet'];
    expect(await deployRouter({ ...deployer, wallet: late }, chainOf('devnet-l2'))).toBeUndefined();
    expect(await codeHash()).toBe(STRATEGY_ROUTER_CODE_HASH);
  });

  it('is refused where it cannot succeed, with the reason', async () => {
    const chain = chainOf('devnet-l2');
    expect(await problemsOf(deployRouter(deployer, chainOf('devnet')))).toEqual([
      'The node of devnet serves the chain 31338, expected 31337.',
    ]);
    await without(STRATEGY_ROUTER_ADDRESS);
    expect(await problemsOf(deployRouter({ ...deployer, account: undefined }, chain))).toEqual([
      'ROUTER_DEPLOYER_KEY is required: the private key of an account with coin for the gas.',
    ]);
    await without(CREATE2_FACTORY);
    expect(await problemsOf(deployRouter(deployer, chain))).toEqual([expect.stringContaining(CREATE2_FACTORY)]);
    await json.call('anvil_setCode', [STRATEGY_ROUTER_ADDRESS, '0x6001']);
    expect(await problemsOf(deployRouter(deployer, chain))).toEqual([
      `The code at ${STRATEGY_ROUTER_ADDRESS} is not that of the router.`,
    ]);
  });
});
