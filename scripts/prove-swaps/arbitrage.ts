import {
  type Address,
  createWalletClient,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  http,
  maxUint256,
  parseAbi,
  publicActions,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { CANONICAL } from '../../devnet/canonical-addresses';
import { createJsonRpc } from '../../devnet/json-rpc';
import { type LocalWallet, sendCall } from '../../test/smart-accounts/local-operations';
import { type PoolChain, type PoolState, readPools } from './pools';

const router = parseAbi([
  'struct ExactInputSingle { address tokenIn; address tokenOut; uint24 fee; address recipient; uint256 amountIn; uint256 amountOutMinimum; uint160 sqrtPriceLimitX96; }',
  'function exactInputSingle(ExactInputSingle) payable returns (uint256)',
]);
const v2Pair = parseAbi(['function sync()']);

/** More of a token than all pools hold together. */
const PLENTY = 10n ** 30n;
const COIN = 10n ** 27n;

/** Sets the balances of an account: coin, and all tokens of the chain. */
export async function endow(chain: PoolChain, account: Address): Promise<void> {
  const rpc = createJsonRpc(chain.rpcUrl);
  const traded = new Set(chain.pools.flatMap(({ token0, token1 }) => [token0, token1]));
  const hexOf = (amount: bigint): string => `0x${amount.toString(16)}`;
  await rpc.call('anvil_setBalance', [account, hexOf(COIN)]);
  // The wrapper must be able to pay out what is set here.
  await rpc.call('anvil_setBalance', [CANONICAL.weth, hexOf(PLENTY)]);
  for (const token of traded) await rpc.call('anvil_dealERC20', [account, token, hexOf(PLENTY)]);
  await rpc.call('evm_mine');
}

/** Returns the pools of a chain to the prices of its start after a trade, as arbitrage does on other chains. */
export interface Arbitrage {
  restore(): Promise<void>;
}

/** `key`: an account of its own, which receives all tokens. */
export async function startArbitrage(chain: PoolChain, key: Hex): Promise<Arbitrage> {
  const account = privateKeyToAccount(key);
  const wallet: LocalWallet = createWalletClient({ account, transport: http(chain.rpcUrl) }).extend(publicActions);
  await endow(chain, account.address);
  const traded = new Set(chain.pools.flatMap(({ token0, token1 }) => [token0, token1]));
  const approval = encodeFunctionData({
    abi: erc20Abi,
    functionName: 'approve',
    args: [CANONICAL.v3Router, maxUint256],
  });
  for (const token of traded) await sendCall(wallet, { to: token, data: approval });
  const original = await readPools(chain);
  return {
    async restore() {
      const current = await readPools(chain);
      for (const [address, state] of original) {
        const now = current.get(address);
        if (now !== undefined) await restorePool({ chain, wallet }, { original: state, now });
      }
    },
  };
}

interface Arbitrageur {
  readonly chain: PoolChain;
  readonly wallet: LocalWallet;
}

async function restorePool(
  { chain, wallet }: Arbitrageur,
  { original, now }: { readonly original: PoolState; readonly now: PoolState },
): Promise<void> {
  const { address, token0, token1, fee } = original;
  if (fee === undefined) {
    if (now.balance0 === original.balance0 && now.balance1 === original.balance1) return;
    const rpc = createJsonRpc(chain.rpcUrl);
    await rpc.call('anvil_dealERC20', [address, token0, `0x${original.balance0.toString(16)}`]);
    await rpc.call('anvil_dealERC20', [address, token1, `0x${original.balance1.toString(16)}`]);
    await sendCall(wallet, { to: address, data: encodeFunctionData({ abi: v2Pair, functionName: 'sync' }) });
    return;
  }
  if (now.sqrtPriceX96 === original.sqrtPriceX96) return;
  const [tokenIn, tokenOut] = now.sqrtPriceX96 > original.sqrtPriceX96 ? [token0, token1] : [token1, token0];
  const input = {
    tokenIn,
    tokenOut,
    fee,
    recipient: wallet.account.address,
    amountIn: PLENTY / 1000n,
    amountOutMinimum: 0n,
    sqrtPriceLimitX96: original.sqrtPriceX96,
  };
  await sendCall(wallet, {
    to: CANONICAL.v3Router,
    data: encodeFunctionData({ abi: router, functionName: 'exactInputSingle', args: [input] }),
  });
}
