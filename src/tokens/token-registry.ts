import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { isNativeToken, NATIVE_TOKEN, parseAddress } from '../chains/addresses';
import type { Chain, ChainKind, ListedToken } from '../chains/chain';
import type { Token } from './token';
import type { TextFlaw, TokenMetadata, TokenMetadataReader, TokenMetadataStore } from './token-metadata';

export interface TokenRegistry {
  /**
   * The token at an address: the native coin at either of its addresses, a listed token, or a token read from the chain.
   * `undefined` when the address has no token.
   *
   * @throws PROVIDER_UNAVAILABLE when the token is not listed or stored and the chain is unavailable
   */
  find(chain: Chain, address: string): Promise<Token | undefined>;
}

/** A token with what is unusual about it. */
export interface InspectedToken {
  readonly token: Token;
  /** True for the native coin and for tokens that the deployment lists. */
  readonly isListed: boolean;
  readonly flaws: readonly TextFlaw[];
}

export interface TokenInspector {
  /** Like `TokenRegistry.find`, with the flaws of the token's texts. */
  inspect(chain: Chain, address: string): Promise<InspectedToken | undefined>;
}

export interface TokenRegistryDeps {
  readonly metadata: TokenMetadataReader;
  readonly store: TokenMetadataStore;
  readonly log: Pick<Logger, 'warn'>;
}

const MAX_TOKENS = 20_000;
const FOUND_TTL_MS = 3_600_000;
/** Short: a token may be deployed at any time. */
const ABSENT_TTL_MS = 10_000;

/** Kinds of chain with token contracts. */
const HAVE_TOKENS: ReadonlySet<ChainKind> = new Set(['evm', 'solana']);

type Lookup = { readonly metadata: TokenMetadata | undefined };

export function createTokenRegistry(deps: TokenRegistryDeps): TokenRegistry & TokenInspector {
  const lookups = new LRUCache<string, Lookup, { chainId: number; address: string }>({
    max: MAX_TOKENS,
    ttl: FOUND_TTL_MS,
    ignoreFetchAbort: true,
    async fetchMethod(_key, _stale, { context: { chainId, address }, options }) {
      const metadata = await lookUp(deps, chainId, address);
      if (metadata === undefined) options.ttl = ABSENT_TTL_MS;
      return { metadata };
    },
  });
  const inspect: TokenInspector['inspect'] = async (chain, address) => {
    const listed = nativeCoin(chain, address) ?? listedToken(chain, address);
    if (listed !== undefined) return { token: listed, isListed: true, flaws: [] };
    const canonical = HAVE_TOKENS.has(chain.kind) ? parseAddress(chain.kind, address) : undefined;
    if (canonical === undefined) return undefined;
    const { chainId } = chain;
    const context = { chainId, address: canonical };
    const { metadata } = await lookups.forceFetch(`${String(chainId)}:${canonical}`, { context });
    if (metadata === undefined) return undefined;
    const { flaws = [], ...texts } = metadata;
    return { token: { ...texts, ...context, logoURI: undefined }, isListed: false, flaws };
  };
  return {
    inspect,
    find: async (chain, address) => (await inspect(chain, address))?.token,
  };
}

function nativeCoin({ kind, chainId, nativeCurrency }: Chain, address: string): Token | undefined {
  if (kind !== 'evm' || !isNativeToken(parseAddress('evm', address) ?? '')) return undefined;
  const { name, symbol, decimals } = nativeCurrency;
  return { chainId, address: NATIVE_TOKEN, name, symbol, decimals, logoURI: undefined };
}

function listedToken({ kind, chainId, tokens }: Chain, address: string): Token | undefined {
  // Only EVM addresses are case-insensitive.
  const canonical = (text: string): string => (kind === 'evm' ? (parseAddress('evm', text) ?? text) : text);
  const key = canonical(address);
  const listed = tokens.find((token: ListedToken) => canonical(token.address) === key);
  if (listed === undefined) return undefined;
  const { symbol, name, decimals, logoURI } = listed;
  return { chainId, address: key, symbol, name, decimals, logoURI };
}

/** Works without the store, by reading the chain again. */
async function lookUp(deps: TokenRegistryDeps, chainId: number, address: string): Promise<TokenMetadata | undefined> {
  const { metadata, store, log } = deps;
  const stored = await store.find(chainId, address).catch((error: unknown) => {
    log.warn({ err: error, chainId, address }, 'loading token metadata failed');
    return undefined;
  });
  if (stored !== undefined) return stored;
  const read = await metadata.read(chainId, address);
  if (read === undefined) return undefined;
  await store.save({ chainId, address, ...read }).catch((error: unknown) => {
    log.warn({ err: error, chainId, address }, 'storing token metadata failed');
  });
  return read;
}
