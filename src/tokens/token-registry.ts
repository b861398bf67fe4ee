import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { isNativeToken, NATIVE_TOKEN, parseAddress } from '../chains/addresses';
import type { Chain, ChainKind, ListedToken } from '../chains/chain';
import type { Token } from './token';
import type { TokenMetadata, TokenMetadataReader, TokenMetadataStore } from './token-metadata';

export interface TokenRegistry {
  /**
   * The token at an address: the native coin at either of its addresses, a listed token, or a token read from the chain.
   * `undefined` when the address has no token.
   *
   * @throws PROVIDER_UNAVAILABLE when the token is not listed or stored and the chain is unavailable
   */
  find(chain: Chain, address: string): Promise<Token | undefined>;
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

export function createTokenRegistry(deps: TokenRegistryDeps): TokenRegistry {
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
  return {
    async find(chain, address) {
      const listed = nativeCoin(chain, address) ?? listedToken(chain, address);
      if (listed !== undefined || !HAVE_TOKENS.has(chain.kind)) return listed;
      const canonical = parseAddress(chain.kind, address);
      if (canonical === undefined) return undefined;
      const { chainId } = chain;
      const context = { chainId, address: canonical };
      const { metadata } = await lookups.forceFetch(`${String(chainId)}:${canonical}`, { context });
      return metadata === undefined ? undefined : { ...metadata, ...context, logoURI: undefined };
    },
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
