import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { isNativeToken, NATIVE_TOKEN, parseAddress } from '../chains/addresses';
import type { Chain, ChainKind, ListedToken } from '../chains/chain';
import type { Token } from './token';
import type { TokenMetadata, TokenMetadataReader, TokenMetadataStore } from './token-metadata';

export interface TokenRegistry {
  /**
   * The token at an address: the native coin in either spelling, a token that the deployment lists, or what the chain
   * says. `undefined` when there is none.
   *
   * @throws PROVIDER_UNAVAILABLE when the chain had to be asked and could not be.
   */
  find(chain: Chain, address: string): Promise<Token | undefined>;
}

export interface TokenRegistryDeps {
  readonly metadata: TokenMetadataReader;
  readonly store: TokenMetadataStore;
  readonly log: Pick<Logger, 'warn'>;
}

const MAX_TOKENS = 20_000;
const KNOWN_FOR_MS = 3_600_000;
/** A token may be deployed any moment. */
const ABSENT_FOR_MS = 10_000;

/** Kinds of chain on which anybody may issue a token. */
const HAVE_TOKENS: ReadonlySet<ChainKind> = new Set(['evm', 'solana']);

type Answer = { readonly metadata: TokenMetadata | undefined };

export function createTokenRegistry(deps: TokenRegistryDeps): TokenRegistry {
  const answers = new LRUCache<string, Answer, { chainId: number; address: string }>({
    max: MAX_TOKENS,
    ttl: KNOWN_FOR_MS,
    ignoreFetchAbort: true,
    async fetchMethod(_key, _stale, { context: { chainId, address }, options }) {
      const metadata = await lookUp(deps, chainId, address);
      if (metadata === undefined) options.ttl = ABSENT_FOR_MS;
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
      const { metadata } = await answers.forceFetch(`${String(chainId)}:${canonical}`, { context });
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
  // Only EVM addresses have a case that does not matter.
  const canonical = (text: string): string => (kind === 'evm' ? (parseAddress('evm', text) ?? text) : text);
  const wanted = canonical(address);
  const listed = tokens.find((token: ListedToken) => canonical(token.address) === wanted);
  if (listed === undefined) return undefined;
  const { symbol, name, decimals, logoURI } = listed;
  return { chainId, address: wanted, symbol, name, decimals, logoURI };
}

/** The store is a convenience: without it the chain is asked again. */
async function lookUp(deps: TokenRegistryDeps, chainId: number, address: string): Promise<TokenMetadata | undefined> {
  const { metadata, store, log } = deps;
  const stored = await store.find(chainId, address).catch((error: unknown) => {
    log.warn({ err: error, chainId, address }, 'token metadata could not be loaded');
    return undefined;
  });
  if (stored !== undefined) return stored;
  const read = await metadata.read(chainId, address);
  if (read === undefined) return undefined;
  await store.save({ chainId, address, ...read }).catch((error: unknown) => {
    log.warn({ err: error, chainId, address }, 'token metadata could not be saved');
  });
  return read;
}
