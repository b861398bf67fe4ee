import type { Address } from 'viem';
import { BLOCK_GAS_LIMIT } from './anvil';
import { CANONICAL, DEPLOYERS } from './canonical-addresses';
import type { ChainExtension } from './chain-extension';
import { deployContracts } from './deploy-contracts';
import type { JsonRpc } from './json-rpc';
import type { PoolPlan } from './liquidity';
import { LIQUIDITY_PROVIDER, provideLiquidity } from './provide-liquidity';
import { hex, inOrder, runTransactions } from './setup-transactions';
import type { DevnetTokens } from './tokens';
import { unixNow } from './unix-now';

export interface ChainSetup {
  readonly chainId: number;
  readonly tokens: DevnetTokens;
  readonly pools: readonly PoolPlan[];
  readonly accounts: readonly Address[];
  readonly extensions: readonly ChainExtension[];
}

const SETUP_BALANCE = 10n ** 27n;
/** For the few blocks of the set-up, which hold everything. */
const SETUP_GAS_LIMIT = 10_000_000_000;

/**
 * Puts contracts, tokens, liquidity and grants on an empty chain, and sets its clock to now.
 *
 * @throws DevnetError naming the step that failed.
 */
export async function setUpChain(rpc: JsonRpc, setup: ChainSetup): Promise<void> {
  const extenders = setup.extensions.map(({ deployer }) => deployer);
  const accounts = [...Object.values(DEPLOYERS), LIQUIDITY_PROVIDER, ...extenders];
  await rpc.batch([
    { method: 'evm_setAutomine', params: [false] },
    { method: 'evm_setBlockGasLimit', params: [hex(SETUP_GAS_LIMIT)] },
    ...accounts.flatMap((account) => [
      { method: 'anvil_impersonateAccount', params: [account] },
      { method: 'anvil_setBalance', params: [account, hex(SETUP_BALANCE)] },
    ]),
  ]);
  await deployContracts(rpc, setup.tokens);
  await provideLiquidity(rpc, setup);
  await extend(rpc, setup);
  await rpc.batch([
    ...accounts.map((account) => ({ method: 'anvil_stopImpersonatingAccount', params: [account] })),
    { method: 'evm_setBlockGasLimit', params: [hex(BLOCK_GAS_LIMIT)] },
    { method: 'evm_setAutomine', params: [true] },
    { method: 'evm_setTime', params: [unixNow()] },
  ]);
  await rpc.call('evm_mine');
}

async function extend(rpc: JsonRpc, setup: ChainSetup): Promise<void> {
  await Promise.all(setup.extensions.map(async ({ prepare }) => prepare?.(rpc, setup)));
  await runTransactions(
    rpc,
    setup.extensions.flatMap(({ deployer, calls }) => inOrder(deployer, 0, calls(setup))),
  );
}

/** Contracts, pools, positions, extensions, and an empty block of the present. */
const SETUP_BLOCKS = 5;

/** True when the set-up is on the chain, whole: its last block was mined. */
export async function isSetUp(rpc: JsonRpc): Promise<boolean> {
  const [blockNumber, code] = await rpc.batch([
    { method: 'eth_blockNumber' },
    { method: 'eth_getCode', params: [CANONICAL.v3Router, 'latest'] },
  ]);
  return BigInt(String(blockNumber)) >= BigInt(SETUP_BLOCKS) && code !== '0x';
}
