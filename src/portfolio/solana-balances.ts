import { parseSolanaAddress } from '../chains/addresses';
import type { ChainTable } from '../chains/chain-table';
import { isServiceError } from '../errors/service-error';
import type { SolanaRpc } from '../rpc/solana/solana-rpc';

export interface SolanaBalanceDeps {
  readonly chains: ChainTable;
  readonly solana: Pick<SolanaRpc, 'serves' | 'walletLamports'>;
}

/** Lamports of wallets on one chain, by address; `undefined` when the chain is unavailable or did not return the number. */
export interface ChainLamports {
  readonly chainId: number;
  readonly lamports: ReadonlyMap<string, bigint | undefined> | undefined;
}

/** What the Solana wallets among the addresses hold on every Solana chain that is served: one call per chain. */
export async function solanaBalances(
  { chains, solana }: SolanaBalanceDeps,
  addresses: readonly string[],
  signal: AbortSignal,
): Promise<readonly ChainLamports[]> {
  const wallets = [...new Set(addresses.filter((address) => parseSolanaAddress(address) === address))];
  const served = chains.all.filter(({ kind, chainId }) => kind === 'solana' && solana.serves(chainId));
  if (wallets.length === 0) return [];
  return Promise.all(
    served.map(async ({ chainId }) => {
      const read = await solana.walletLamports(chainId, wallets, signal).catch((error: unknown) => {
        if (isServiceError(error)) return undefined;
        throw error;
      });
      if (read === undefined) return { chainId, lamports: undefined };
      const held = wallets.map((wallet, index) => [wallet, read.lamports[index]] as const);
      return { chainId, lamports: new Map(held) };
    }),
  );
}
