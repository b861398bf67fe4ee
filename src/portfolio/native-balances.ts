import { multicall3Abi } from 'viem';
import { parseEvmAddress, parseSolanaAddress } from '../chains/addresses';
import type { Chain } from '../chains/chain';
import type { ChainTable } from '../chains/chain-table';
import { isServiceError } from '../errors/service-error';
import { formatBaseUnits } from '../money/base-units';
import { contractRead } from '../rpc/contract-read';
import { MULTICALL3 } from '../rpc/multicall';
import type { Rpc } from '../rpc/rpc';
import type { SolanaRpc } from '../rpc/solana/solana-rpc';
import { type ChainLamports, solanaBalances } from './solana-balances';

export interface BalanceDeps {
  readonly chains: ChainTable;
  readonly rpc: Rpc;
  /** Without it Solana wallets have no balances. */
  readonly solana?: Pick<SolanaRpc, 'serves' | 'walletLamports'> | undefined;
}

/** Native coin balance of a wallet on one chain. */
export interface NativeBalance {
  readonly chainId: number;
  readonly symbol: string;
  /** In wei or lamports; null when the chain is unavailable. */
  readonly amount: bigint | null;
  readonly humanized: string | null;
}

/**
 * Reads the native balances of wallets on every served EVM and Solana chain, in the order of the addresses, with one call
 * per chain for all wallets. The amounts of an unavailable chain are null. Addresses of other chains have no balances.
 */
export async function nativeBalances(
  deps: BalanceDeps,
  addresses: readonly string[],
  signal: AbortSignal,
): Promise<readonly (readonly NativeBalance[])[]> {
  const { chains, solana } = deps;
  const [onEvm, onSolana] = await Promise.all([
    evmBalances(deps, addresses, signal),
    solana === undefined ? [] : solanaBalances({ chains, solana }, addresses, signal),
  ]);
  return addresses.map((address, index) => {
    if (parseSolanaAddress(address) === undefined) return onEvm[index] ?? [];
    return onSolana.map((held) => lamportsOf(chains, held, address));
  });
}

const lamportsOf = (chains: ChainTable, { chainId, lamports }: ChainLamports, address: string): NativeBalance =>
  balanceOf(chains.get(chainId), lamports?.get(address));

async function evmBalances(
  deps: BalanceDeps,
  addresses: readonly string[],
  signal: AbortSignal,
): Promise<readonly (readonly NativeBalance[])[]> {
  const served = deps.chains.all.filter(({ kind, chainId }) => kind === 'evm' && deps.rpc.serves(chainId));
  const evm = [...new Set(addresses.flatMap((address) => parseEvmAddress(address) ?? []))];
  if (evm.length === 0) return addresses.map(() => []);
  const perChain = await Promise.all(
    served.map(async (chain) => ({ chain, amounts: await balancesOn(deps, { chain, addresses: evm, signal }) })),
  );
  return addresses.map((address) => {
    const index = evm.indexOf(address as `0x${string}`);
    return index < 0 ? [] : perChain.map(({ chain, amounts }) => balanceOf(chain, amounts?.[index]));
  });
}

interface ChainRequest {
  readonly chain: Chain;
  readonly addresses: readonly `0x${string}`[];
  readonly signal: AbortSignal;
}

/** `undefined` when the chain is unavailable. */
async function balancesOn(
  { rpc }: BalanceDeps,
  { chain, addresses, signal }: ChainRequest,
): Promise<readonly (bigint | undefined)[] | undefined> {
  const reads = addresses.map((address) =>
    contractRead({ address: MULTICALL3, abi: multicall3Abi, functionName: 'getEthBalance', args: [address] }),
  );
  try {
    return await rpc.multicall(chain.chainId, reads, { signal });
  } catch (error) {
    if (isServiceError(error)) return undefined;
    throw error;
  }
}

function balanceOf({ chainId, nativeCurrency }: Chain, amount: bigint | undefined): NativeBalance {
  const { symbol, decimals } = nativeCurrency;
  if (amount === undefined) return { chainId, symbol, amount: null, humanized: null };
  return { chainId, symbol, amount, humanized: formatBaseUnits(amount, decimals) };
}
