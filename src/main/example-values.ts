import { DEFAULT_EXAMPLE, type ExampleValues } from '../../gateway/edge/example-values';
import type { Chain } from '../chains/chain';
import type { Config } from '../config/config';

const DOLLARS = 25n;
type Trade = Pick<ExampleValues, 'chain' | 'chainId' | 'tokenIn' | 'tokenOut' | 'amountIn'>;

/** The configured wallet and API key, and a trade of dollars for the wrapped native coin on the first served chain. */
export function exampleValues({ chains, EXAMPLE_WALLET, EXAMPLE_API_KEY: apiKey }: Config): ExampleValues {
  const served = chains.table.all.filter(({ chainId }) => chains.rpcUrls.has(chainId));
  const trade = served.flatMap((chain) => tradeOn(chain) ?? []).at(0);
  return { ...DEFAULT_EXAMPLE, ...trade, wallet: EXAMPLE_WALLET ?? DEFAULT_EXAMPLE.wallet, apiKey };
}

function tradeOn({ slug, chainId, wrappedNative, dollarTokens, tokens }: Chain): Trade | undefined {
  const [dollar] = tokens.filter(({ address }) => dollarTokens.some((known) => known === address));
  if (wrappedNative === undefined || dollar === undefined) return undefined;
  const amountIn = (DOLLARS * 10n ** BigInt(dollar.decimals)).toString();
  return { chain: slug, chainId, tokenIn: dollar.address, tokenOut: wrappedNative, amountIn };
}
