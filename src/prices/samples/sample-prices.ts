import type { ChainTable } from '../../chains/chain-table';
import type { Token } from '../../tokens/token';
import { pricedToken } from '../token-price-reader';
import type { TokenPriceReader } from '../token-price';
import { type PriceSample, storeSamples } from './price-sample-store';
import { type SampledTokensDeps, tokensToSample } from './sampled-tokens';

/** Tokens that are read at a time. */
const CHUNK = 100;

export interface SamplePricesDeps extends SampledTokensDeps {
  readonly chains: Pick<ChainTable, 'all' | 'byId'>;
  readonly prices: TokenPriceReader;
}

/**
 * Stores the present prices of the sampled tokens, each under the time of its observation. A token without a price is left
 * out. Returns the number of new samples.
 */
export async function samplePrices(deps: SamplePricesDeps, signal: AbortSignal): Promise<number> {
  const tokens = await tokensToSample(deps);
  const samples = new Map<string, PriceSample>();
  for (let start = 0; start < tokens.length && !signal.aborted; start += CHUNK) {
    for (const sample of await readSamples(deps, tokens.slice(start, start + CHUNK))) {
      // The native coin and its wrapper are one token.
      samples.set(`${String(sample.chainId)}:${sample.address}`, sample);
    }
  }
  return storeSamples(deps, [...samples.values()]);
}

async function readSamples(
  { prices, chains }: SamplePricesDeps,
  tokens: readonly Token[],
): Promise<readonly PriceSample[]> {
  const results = await prices.read(tokens);
  return tokens.flatMap((token, index) => {
    const [price, priced] = [results[index]?.price, pricedToken(chains, token)];
    if (price === undefined || priced === undefined) return [];
    const { usdE24, source, kind, asOf, flags, isConfirmed } = price;
    const { chain, address } = priced;
    const isListed = chain.tokens.some((listed) => listed.address === address);
    return [{ chainId: chain.chainId, address, usdE24, source, kind, asOf, flags, isConfirmed, isListed }];
  });
}
