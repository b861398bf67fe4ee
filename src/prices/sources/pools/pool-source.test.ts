import type { Address } from 'viem';
import { type Chain, FIAT_CHAIN_ID } from '../../../chains/chain';
import { createChainTable } from '../../../chains/chain-table';
import { KNOWN_CHAINS } from '../../../chains/known-chains';
import type { PoolKey } from '../../../pools/pool';
import type { PricedToken } from '../../token-price';
import { createPoolSource } from './pool-source';

const [BRLA, POOL]: readonly Address[] = [
  '0xE6A537a407488807F0bbeb0038B79004f19DDDFb',
  '0x00000000000000000000000000000000000000AA',
];
const fiat = KNOWN_CHAINS.find(({ chainId }) => chainId === FIAT_CHAIN_ID)!;
const ethereum = KNOWN_CHAINS.find(({ chainId }) => chainId === 1)!;
const usdc = ethereum.tokens.find(({ symbol }) => symbol === 'USDC')!;
const brla = { address: BRLA!, symbol: 'BRLA', name: 'BRLA', decimals: 18 };
/** A chain with one pool of BRLA and USDC. */
const chainOf = (chainId: number): Chain => ({
  ...ethereum,
  chainId,
  slug: `chain-${chainId}`,
  uniswapV3: undefined,
  connectors: [],
  dollarTokens: [usdc.address as Address],
  tokens: [usdc, brla],
});
const chains = createChainTable([chainOf(1), chainOf(2), fiat]);
const REAL: PricedToken = { chain: fiat, address: 'BRL', decimals: 2 };
const now = (): bigint => BigInt(Math.floor(Date.now() / 1000));

type Results = (chainId: number, signal: AbortSignal | undefined) => Promise<readonly unknown[]>;
const sourceOf = (results: Results) =>
  createPoolSource({
    chains,
    rpc: {
      serves: () => true,
      multicall: (async (chainId: number, reads: readonly unknown[], options?: { readonly signal?: AbortSignal }) => {
        const [first, time] = await results(chainId, options?.signal);
        const ofPools = reads.slice(0, -2).map((_, index) => (index === 0 ? first : undefined));
        return [...ofPools, 100n, time];
      }) as never,
    },
    pools: {
      locate: (_, keys: readonly PoolKey[]) =>
        Promise.resolve(
          keys
            .filter(({ token0, token1 }) => [token0, token1].includes(brla.address))
            .map((key) => ({ ...key, address: POOL! })),
        ),
    },
    anchors: () => Promise.resolve(new Map()),
    chainWaitMs: 20,
  });
/** USDC comes before BRLA: 200,000 dollars for 1,000,000 reais. */
const reserves = (time: unknown): readonly unknown[] => [[200_000n * 10n ** 6n, 1_000_000n * 10n ** 18n, 0], time];
const usdcFirst = usdc.address.toLowerCase() < brla.address.toLowerCase();
const timeout = AbortSignal.timeout(60_000);

describe('prices in pools', () => {
  it('of money in banks are those of the chains that respond, while the node of another one hangs', async () => {
    expect(usdcFirst).toBe(true);
    const source = sourceOf((chainId) =>
      chainId === 1 ? new Promise(() => undefined) : Promise.resolve(reserves(now())),
    );
    const observed = await source.observe([REAL], timeout);
    expect(observed.get('BRL')?.usdE24).toBe(2n * 10n ** 23n);
  });

  it('are read with the signal of the caller', async () => {
    const signals: (AbortSignal | undefined)[] = [];
    const source = sourceOf((_, signal) => {
      signals.push(signal);
      return Promise.resolve(reserves(now()));
    });
    await source.observe([REAL], timeout);
    expect(signals.length).toBeGreaterThan(0);
    expect(signals.every((signal) => signal === timeout)).toBe(true);
  });

  it.each([
    ['is unknown', () => undefined],
    ['is stale', () => now() - 700n],
    ['is in the future', () => now() + 3600n],
  ])('are missing when the time of the block %s', async (_, time) => {
    const source = sourceOf(() => Promise.resolve(reserves(time())));
    const chain = chains.get(1);
    const token = { chain, address: brla.address, decimals: 18 };
    expect((await source.observe([token], timeout)).size).toBe(0);
    const present = sourceOf(() => Promise.resolve(reserves(now())));
    expect((await present.observe([token], timeout)).size).toBe(1);
  });
});
