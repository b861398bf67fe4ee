import { NATIVE_TOKEN, ZERO_ADDRESS } from '../chains/addresses';
import { createChainTable } from '../chains/chain-table';
import { KNOWN_CHAINS } from '../chains/known-chains';
import { serviceError } from '../errors/service-error';
import type { TokenMetadata } from './token-metadata';
import { createTokenRegistry } from './token-registry';

const chains = createChainTable(KNOWN_CHAINS);
const ethereum = chains.get(1);
const USDC = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48';
const UNLISTED = '0x1f9840a85d5aF5bf1D1762F925BDADdC4201F984';
const UNI: TokenMetadata = { symbol: 'UNI', name: 'Uniswap', decimals: 18, flaws: [] };

function registryWith(chain: () => Promise<TokenMetadata | undefined>) {
  const stored = new Map<string, TokenMetadata>();
  const reads: string[] = [];
  const warnings: unknown[] = [];
  const store = {
    broken: false,
    find: (chainId: number, addresses: readonly string[]) => {
      if (store.broken) return Promise.reject(new Error('no database'));
      const found = addresses.map((address) => [address, stored.get(`${chainId}:${address}`)] as const);
      return Promise.resolve(
        new Map(found.flatMap(([address, each]) => (each === undefined ? [] : [[address, each]]))),
      );
    },
    save: ({ chainId, address, ...metadata }: TokenMetadata & { chainId: number; address: string }) => {
      if (store.broken) return Promise.reject(new Error('no database'));
      stored.set(`${chainId}:${address}`, metadata);
      return Promise.resolve();
    },
  };
  const metadata = {
    read: (_: number, address: string) => {
      reads.push(address);
      return chain();
    },
  };
  const deps = { metadata, store, log: { warn: (...args: unknown[]) => void warnings.push(args) } };
  return { create: () => createTokenRegistry(deps), reads, stored, store, warnings };
}

describe('the token registry', () => {
  it('finds the native coin at either address and in any case, without a chain read', async () => {
    const { create, reads } = registryWith(() => Promise.resolve(undefined));
    const registry = create();
    for (const spelling of [NATIVE_TOKEN, ZERO_ADDRESS, NATIVE_TOKEN.toLowerCase()]) {
      expect(await registry.find(ethereum, spelling)).toMatchObject({
        address: NATIVE_TOKEN,
        symbol: 'ETH',
        chainId: 1,
      });
    }
    expect(reads).toEqual([]);
  });

  it('finds listed tokens on every kind of chain, without a chain read', async () => {
    const { create, reads } = registryWith(() => Promise.resolve(undefined));
    const registry = create();
    expect(await registry.find(ethereum, USDC.toLowerCase())).toMatchObject({
      address: USDC,
      symbol: 'USDC',
      decimals: 6,
    });
    expect(await registry.find(chains.get(0), 'BRL')).toMatchObject({ address: 'BRL', decimals: 2 });
    expect(await registry.find(chains.get(0), 'EUR')).toBeUndefined();
    const solana = chains.find('solana')!;
    const mint = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
    expect(await registry.find(solana, mint)).toMatchObject({ symbol: 'USDC' });
    expect(await registry.find(solana, mint.toLowerCase())).toBeUndefined();
    expect(reads).toEqual([]);
  });

  it('reads the chain once for any number of callers', async () => {
    const { create, reads, stored } = registryWith(() => new Promise((resolve) => setTimeout(resolve, 20, UNI)));
    const registry = create();
    const found = await Promise.all(Array.from({ length: 50 }, () => registry.find(ethereum, UNLISTED)));
    for (const token of found)
      expect(token).toEqual({
        symbol: 'UNI',
        name: 'Uniswap',
        decimals: 18,
        chainId: 1,
        address: UNLISTED,
        logoURI: undefined,
      });
    await registry.find(ethereum, UNLISTED.toLowerCase());
    expect(reads).toEqual([UNLISTED]);
    expect(stored.get(`1:${UNLISTED}`)).toEqual(UNI);
    await create().find(ethereum, UNLISTED); // another replica, or the next start
    expect(reads).toEqual([UNLISTED]);
  });

  it('caches a missing token for a short time', async () => {
    const { create, reads, stored } = registryWith(() => Promise.resolve(undefined));
    const registry = create();
    expect(await registry.find(ethereum, UNLISTED)).toBeUndefined();
    expect(await registry.find(ethereum, UNLISTED)).toBeUndefined();
    expect(reads).toHaveLength(1);
    expect(stored.size).toBe(0);
    expect(await registry.find(ethereum, 'not an address')).toBeUndefined();
  });

  it('reports an unavailable chain, and reads it again at the next call', async () => {
    let down = true;
    const failure = serviceError('PROVIDER_UNAVAILABLE', { provider: 'ethereum RPC', reason: 'the connection failed' });
    const { create, reads } = registryWith(() => (down ? Promise.reject(failure) : Promise.resolve(UNI)));
    const registry = create();
    await expect(registry.find(ethereum, UNLISTED)).rejects.toBe(failure);
    down = false;
    expect(await registry.find(ethereum, UNLISTED)).toMatchObject({ symbol: 'UNI' });
    expect(reads).toHaveLength(2);
  });

  it('works without the database and logs the failure', async () => {
    const { create, store, warnings } = registryWith(() => Promise.resolve(UNI));
    store.broken = true;
    expect(await create().find(ethereum, UNLISTED)).toMatchObject({ symbol: 'UNI' });
    expect(warnings).toHaveLength(2);
    expect(await create().inspectStored(ethereum, [UNLISTED])).toEqual(new Map());
  });

  it('reads a stored token again whose flaws are unknown, and uses what is stored while the chain is unavailable', async () => {
    let down = true;
    const failure = serviceError('PROVIDER_UNAVAILABLE', { provider: 'ethereum RPC', reason: 'the connection failed' });
    const hidden: TokenMetadata = { ...UNI, flaws: ['hiddenCharacters'] };
    const { create, stored } = registryWith(() => (down ? Promise.reject(failure) : Promise.resolve(hidden)));
    stored.set(`1:${UNLISTED}`, { symbol: 'UNI', name: 'Uniswap', decimals: 18 });
    expect(await create().inspectStored(ethereum, [UNLISTED])).toEqual(new Map());
    expect(await create().inspect(ethereum, UNLISTED)).toMatchObject({ token: { symbol: 'UNI' }, flaws: [] });
    down = false;
    expect(await create().inspect(ethereum, UNLISTED)).toMatchObject({ flaws: ['hiddenCharacters'] });
    expect(stored.get(`1:${UNLISTED}`)).toEqual(hidden);
    const known = await create().inspectStored(ethereum, [UNLISTED]);
    expect(known.get(UNLISTED)).toMatchObject({ flaws: ['hiddenCharacters'], isListed: false });
  });
});
