import type { ChainTable } from '../chains/chain-table';
import type { Rpc } from '../rpc/rpc';
import type { Token } from '../tokens/token';

/** Symbols of BRL tokens, the most liquid first. */
export const REAL_TOKENS: readonly string[] = ['BRLA', 'BRZ'];
/** Symbols of tokens for bitcoin, the most liquid first. */
export const BITCOIN_TOKENS: readonly string[] = ['WBTC', 'cbBTC', 'BTCB'];

/** The tokens with these symbols of the served chains. */
export const tokensBySymbol = (
  { chains, rpc }: { readonly chains: ChainTable; readonly rpc: Pick<Rpc, 'serves'> },
  symbols: readonly string[],
): readonly Token[] =>
  symbols.flatMap((symbol) =>
    chains.all
      .filter(({ kind, chainId }) => kind === 'evm' && rpc.serves(chainId))
      .flatMap(({ chainId, tokens }) =>
        tokens.filter((token) => token.symbol === symbol).map((token) => ({ logoURI: undefined, ...token, chainId })),
      ),
  );
