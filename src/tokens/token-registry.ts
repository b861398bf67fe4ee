import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { atMostEntries } from '../async/cache-size';
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
  /**
   * The unlisted tokens among canonical addresses that are cached or stored, without a call to the chain; `undefined` for an
   * address that had no token seconds ago. One query. Works without the store.
   */
  inspectStored(chain: Chain, addresses: readonly string[]): Promise<ReadonlyMap<string, InspectedToken | undefined>>;
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
  const lookups = new LRUCache<string, Lookup, TokenKey>({
    ...atMostEntries(MAX_TOKENS),
    ttl: FOUND_TTL_MS,
    ignoreFetchAbort: true,
    async fetchMethod(_key, _stale, { context: { chainId, address }, options }) {
      const metadata = await lookUp(deps, chainId, address);
      if (metadata?.flaws === undefined) options.ttl = ABSENT_TTL_MS;
      return { metadata };
    },
  });
  const inspect: TokenInspector['inspect'] = async (chain, address) => {
    const listed = nativeCoin(chain, address) ?? listedToken(chain, address);
    if (listed !== undefined) return { token: listed, isListed: true, flaws: [] };
    const canonical = HAVE_TOKENS.has(chain.kind) ? parseAddress(chain.kind, address) : undefined;
    if (canonical === undefined) return undefined;
    const context = { chainId: chain.chainId, address: canonical };
    return inspected(context, await lookups.forceFetch(keyOf(context), { context }));
  };
  const inspectStored: TokenInspector['inspectStored'] = async ({ chainId }, addresses) => {
    const found = new Map<string, InspectedToken | undefined>();
    for (const address of addresses) {
      const cached = lookups.get(keyOf({ chainId, address }));
      if (cached !== undefined) found.set(address, inspected({ chainId, address }, cached));
    }
    const others = addresses.filter((address) => !found.has(address));
    for (const [address, metadata] of await findStored(deps, chainId, others)) {
      if (metadata.flaws === undefined) continue;
      lookups.set(keyOf({ chainId, address }), { metadata });
      found.set(address, inspected({ chainId, address }, { metadata }));
    }
    return found;
  };
  return {
    inspect,
    inspectStored,
    find: async (chain, address) => (await inspect(chain, address))?.token,
  };
}

interface TokenKey {
  readonly chainId: number;
  readonly address: string;
}

const keyOf = ({ chainId, address }: TokenKey): string => `${String(chainId)}:${address}`;

function inspected(key: TokenKey, { metadata }: Lookup): InspectedToken | undefined {
  if (metadata === undefined) return undefined;
  const { flaws = [], ...texts } = metadata;
  return { token: { ...texts, ...key, logoURI: undefined }, isListed: false, flaws };
}

/** Empty without the store. */
async function findStored(
  { store, log }: TokenRegistryDeps,
  chainId: number,
  addresses: readonly string[],
): Promise<ReadonlyMap<string, TokenMetadata>> {
  if (addresses.length === 0) return new Map();
  return store.find(chainId, addresses).catch((error: unknown) => {
    log.warn({ err: error, chainId, address: addresses[0] }, 'loading token metadata failed');
    return new Map<string, TokenMetadata>();
  });
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

/**
 * Works without the store, by reading the chain again. A stored token whose flaws are unknown is read again as well; when that
 * fails, what is stored is used.
 */
async function lookUp(deps: TokenRegistryDeps, chainId: number, address: string): Promise<TokenMetadata | undefined> {
  const { metadata, store, log } = deps;
  const stored = (await findStored(deps, chainId, [address])).get(address);
  if (stored?.flaws !== undefined) return stored;
  const read = await metadata.read(chainId, address).catch((error: unknown) => {
    if (stored === undefined) throw error;
    return undefined;
  });
  if (read === undefined) return stored;
  await store.save({ chainId, address, ...read }).catch((error: unknown) => {
    log.warn({ err: error, chainId, address }, 'storing token metadata failed');
  });
  return read;
}
