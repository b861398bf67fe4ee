import { resolveOnAbort } from '../../async/race-abort';
import { resolveWithin } from '../../async/resolve-within';
import type { Chain } from '../../chains/chain';
import type { InspectedToken, TokenInspector } from '../../tokens/token-registry';
import type { TokenBalanceDeps } from './balance-deps';
import { listedTokens } from './listed-tokens';
import { assessToken, assessUnknown, CLEAN, type SpamAssessment } from './spam-score';

/** The texts and the assessment of a token. */
export interface TokenDescription {
  readonly symbol: string;
  readonly name: string;
  /** `undefined` when the token has none, or they could not be read. */
  readonly decimals: number | undefined;
  readonly logoURI: string | undefined;
  readonly isListed: boolean;
  readonly spam: SpamAssessment;
}

/** Tokens of one chain that are neither listed, cached nor stored, and that one request looks up. The others are unchecked. */
const MAX_LOOKUPS = 300;
/** Lookups at the same time: each may read the database and the chain. */
const MAX_CONCURRENT = 8;
/** Time for all lookups of a chain. What was found is cached, so that later requests get further. */
const TIMEOUT_MS = 750;
/** Time for the query of the stored tokens. */
const QUERY_TIMEOUT_MS = 250;

type DescriptionDeps = Pick<TokenBalanceDeps, 'tokens' | 'metadataTimeoutMs'>;
type Lookup = InspectedToken | 'missing';

export interface DescriptionRequest {
  readonly chain: Chain;
  /** Canonical. */
  readonly addresses: readonly string[];
  /** False while the chain is unavailable: only tokens that are stored are described then. */
  readonly isAvailable: boolean;
  readonly signal: AbortSignal;
}

/** Describes tokens of one chain by canonical address. Tokens that cannot be looked up in time are unchecked. */
export async function describeTokens(
  { tokens, metadataTimeoutMs = TIMEOUT_MS }: DescriptionDeps,
  { chain, addresses, isAvailable, signal }: DescriptionRequest,
): Promise<ReadonlyMap<string, TokenDescription>> {
  const listed = listedTokens(chain);
  const unlisted = addresses.filter((address) => !listed.has(address));
  const stored = await resolveWithin(tokens.inspectStored(chain, unlisted), QUERY_TIMEOUT_MS);
  const lookups = new Map<string, Lookup>([...(stored ?? [])].map(([address, found]) => [address, found ?? 'missing']));
  const unknown = isAvailable ? unlisted.filter((address) => !lookups.has(address)) : [];
  const queue = fromAnywhere(unknown).slice(0, MAX_LOOKUPS);
  // What is started in the last tenth of the time would not be found in time.
  const lastStart = performance.now() + metadataTimeoutMs * 0.9;
  const next = (): string | undefined => (performance.now() < lastStart && !signal.aborted ? queue.shift() : undefined);
  const work = async (): Promise<void> => {
    for (let address = next(); address !== undefined; address = next()) {
      // Half of the time at most: slow contracts leave time for the others.
      const found = await resolveWithin(lookUp(tokens, chain, address), metadataTimeoutMs / 2);
      if (found !== undefined) lookups.set(address, found);
    }
  };
  const working = Promise.all(Array.from({ length: MAX_CONCURRENT }, work));
  await resolveWithin(resolveOnAbort(working, signal), metadataTimeoutMs);
  return new Map(addresses.map((address) => [address, descriptionOf(chain, address, lookups.get(address))]));
}

/** The items from a random one on: what takes all of the time in one request does not stand in front of the next one. */
function fromAnywhere(items: readonly string[]): string[] {
  const start = Math.floor(Math.random() * items.length);
  return [...items.slice(start), ...items.slice(0, start)];
}

/** `undefined` when the token could not be looked up: it is described without its metadata, and looked up again next time. */
async function lookUp(tokens: TokenInspector, chain: Chain, address: string): Promise<Lookup | undefined> {
  try {
    return (await tokens.inspect(chain, address)) ?? 'missing';
  } catch {
    return undefined;
  }
}

function descriptionOf(chain: Chain, address: string, lookup: Lookup | undefined): TokenDescription {
  const listed = listedTokens(chain).get(address);
  if (listed !== undefined) {
    const { symbol, name, decimals, logoURI } = listed;
    return { symbol, name, decimals, logoURI, isListed: true, spam: CLEAN };
  }
  if (lookup === undefined || lookup === 'missing') {
    const symbol = `${address.slice(0, 6)}…${address.slice(-4)}`;
    const spam = assessUnknown(lookup === 'missing' ? 'NO_METADATA' : 'UNCHECKED');
    return { symbol, name: symbol, decimals: undefined, logoURI: undefined, isListed: false, spam };
  }
  const { token, flaws } = lookup;
  const { symbol, name, decimals } = token;
  const spam = assessToken(chain, { symbol, name, decimals, flaws });
  return { symbol, name, decimals, logoURI: undefined, isListed: false, spam };
}
