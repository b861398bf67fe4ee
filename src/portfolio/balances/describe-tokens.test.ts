import { KNOWN_CHAINS } from '../../chains/known-chains';
import type { Chain } from '../../chains/chain';
import type { InspectedToken } from '../../tokens/token-registry';
import { describeTokens, type DescriptionRequest } from './describe-tokens';

const LISTED = '0x00000000000000000000000000000000000000a1';
const CHAIN: Chain = {
  ...KNOWN_CHAINS[0]!,
  tokens: [{ address: LISTED, symbol: 'USDC', name: 'USD Coin', decimals: 6, logoURI: 'https://logo.example' }],
};
const inspected = (address: string, symbol = 'T'): InspectedToken => ({
  token: { chainId: CHAIN.chainId, address, symbol, name: symbol, decimals: 18, logoURI: undefined },
  isListed: false,
  flaws: [],
});
const inspectStored = () => Promise.resolve(new Map());
const [A, B] = ['0x00000000000000000000000000000000000000b1', '0x00000000000000000000000000000000000000B2'];

/** No time limit ends during a test that does not advance the time. */
const metadataTimeoutMs = 60_000;
const requestOf = (addresses: readonly string[], change: Partial<DescriptionRequest> = {}): DescriptionRequest => ({
  chain: CHAIN,
  addresses,
  isAvailable: true,
  signal: new AbortController().signal,
  ...change,
});

describe('the description of tokens', () => {
  afterEach(() => jest.useRealTimers());

  it('comes from the list without a lookup, and from the chain for all others', async () => {
    const lookups: string[] = [];
    const tokens = {
      inspectStored,
      inspect: (_: Chain, address: string) => {
        lookups.push(address);
        return Promise.resolve(inspected(address));
      },
    };
    const canonical = '0x00000000000000000000000000000000000000A1';
    const described = await describeTokens({ tokens, metadataTimeoutMs }, requestOf([canonical, A]));
    expect(described.get(canonical)).toMatchObject({ symbol: 'USDC', isListed: true, logoURI: 'https://logo.example' });
    expect(described.get(A)).toMatchObject({ symbol: 'T', decimals: 18, isListed: false, spam: { score: 0 } });
    expect(lookups).toEqual([A]);
  });

  it('lacks what cannot be read, for that token alone', async () => {
    const tokens = {
      inspectStored,
      inspect: (_: Chain, address: string) =>
        address === A ? Promise.reject(new Error('down')) : Promise.resolve(undefined),
    };
    const described = await describeTokens({ tokens, metadataTimeoutMs }, requestOf([A, B]));
    expect(described.get(A)).toMatchObject({ decimals: undefined, spam: { isSpam: false, reasons: ['UNCHECKED'] } });
    expect(described.get(B)).toMatchObject({
      symbol: '0x0000…00B2',
      spam: { isSpam: true, reasons: ['NO_METADATA'] },
    });
  });

  it('waits for a bounded time, with a bounded number of lookups at once', async () => {
    let [running, maximum] = [0, 0];
    const tokens = {
      inspectStored,
      inspect: () => {
        running += 1;
        maximum = Math.max(maximum, running);
        return new Promise<undefined>(() => undefined);
      },
    };
    const addresses = Array.from(
      { length: 400 },
      (_, index) => `0x${(index + 0x10000).toString(16).padStart(40, '0')}`,
    );
    jest.useFakeTimers();
    const describing = describeTokens({ tokens }, requestOf(addresses));
    // Without a further millisecond it would wait for ever.
    await jest.advanceTimersByTimeAsync(751);
    const described = await describing;
    expect(described.size).toBe(400);
    // Eight at once, and eight more when these have taken their time.
    expect(maximum).toBeLessThanOrEqual(16);
    expect(new Set([...described.values()].map(({ spam }) => spam.reasons.join()))).toEqual(new Set(['UNCHECKED']));
  });

  it('is complete for any number of tokens that are stored: only the others are looked up', async () => {
    const addresses = Array.from(
      { length: 1000 },
      (_, index) => `0x${(index + 0x10000).toString(16).padStart(40, '0')}`,
    );
    const lookups: string[] = [];
    const tokens = {
      inspectStored: (_: Chain, all: readonly string[]) =>
        Promise.resolve(new Map(all.slice(0, 990).map((address) => [address, inspected(address)]))),
      inspect: (_: Chain, address: string) => {
        lookups.push(address);
        return Promise.resolve(inspected(address));
      },
    };
    const described = await describeTokens({ tokens, metadataTimeoutMs }, requestOf(addresses));
    expect(new Set([...described.values()].map(({ symbol }) => symbol))).toEqual(new Set(['T']));
    expect(new Set(lookups)).toEqual(new Set(addresses.slice(990)));
  });

  it('does not wait for contracts that do not respond before it looks up others', async () => {
    const [slow, others] = [8, 20].map((length, kind) =>
      Array.from({ length }, (_, index) => `0x${(index + 0x10000 * (kind + 1)).toString(16).padStart(40, '0')}`),
    );
    const tokens = {
      inspectStored,
      inspect: (_: Chain, address: string) =>
        slow!.includes(address) ? new Promise<undefined>(() => undefined) : Promise.resolve(inspected(address)),
    };
    jest.useFakeTimers();
    const describing = describeTokens({ tokens, metadataTimeoutMs: 1000 }, requestOf([...slow!, ...others!]));
    await jest.advanceTimersByTimeAsync(1001);
    const described = await describing;
    for (const address of others!) expect(described.get(address)).toMatchObject({ symbol: 'T' });
  });

  it('of a chain that is unavailable comes from what is stored, without a lookup', async () => {
    const inspect = jest.fn((_: Chain, address: string) => Promise.resolve(inspected(address)));
    const tokens = { inspectStored: () => Promise.resolve(new Map([[A, inspected(A)]])), inspect };
    const request = requestOf([A, B], { isAvailable: false });
    const described = await describeTokens({ tokens, metadataTimeoutMs }, request);
    expect(described.get(A)).toMatchObject({ symbol: 'T' });
    expect(described.get(B)).toMatchObject({ spam: { reasons: ['UNCHECKED'] } });
    expect(inspect).not.toHaveBeenCalled();
  });

  it('ends with the caller: no further token is looked up', async () => {
    const controller = new AbortController();
    let lookups = 0;
    const tokens = {
      inspectStored,
      inspect: (_: Chain, address: string) => {
        lookups += 1;
        if (lookups < 8) return Promise.resolve(inspected(address));
        controller.abort();
        return new Promise<undefined>(() => undefined);
      },
    };
    const addresses = Array.from(
      { length: 100 },
      (_, index) => `0x${(index + 0x10000).toString(16).padStart(40, '0')}`,
    );
    const request = requestOf(addresses, { signal: controller.signal });
    const described = await describeTokens({ tokens, metadataTimeoutMs }, request);
    await new Promise((resolve) => setImmediate(resolve));
    expect([described.size, lookups]).toEqual([100, 8]);
  });
});
