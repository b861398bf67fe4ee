import type { ExampleTrade } from '../../gateway/http/pages/example-queries';
import type { Chain } from '../chains/chain';
import type { ConfiguredChains } from '../config/load-chains';

/** A well-known public address. */
const WALLET = '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045';
const DOLLARS = 25n;
const FALLBACK: ExampleTrade = {
  chain: 'base',
  tokenIn: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  tokenOut: '0x4200000000000000000000000000000000000006',
  amountIn: '25000000',
  wallet: WALLET,
};

/** A trade for examples: dollars for the wrapped native coin on the first served chain. */
export function exampleTrade({ table, rpcUrls }: ConfiguredChains): ExampleTrade {
  const served = table.all.filter(({ chainId }) => rpcUrls.has(chainId));
  return served.flatMap((chain) => tradeOn(chain) ?? []).at(0) ?? FALLBACK;
}

function tradeOn({ slug, wrappedNative, dollarTokens, tokens }: Chain): ExampleTrade | undefined {
  const [dollar] = tokens.filter(({ address }) => dollarTokens.some((known) => known === address));
  if (wrappedNative === undefined || dollar === undefined) return undefined;
  const amountIn = (DOLLARS * 10n ** BigInt(dollar.decimals)).toString();
  return { chain: slug, tokenIn: dollar.address, tokenOut: wrappedNative, amountIn, wallet: WALLET };
}
