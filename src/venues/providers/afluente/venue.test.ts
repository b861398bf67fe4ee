import type { Address } from 'viem';
import { createChainTable } from '../../../chains/chain-table';
import { KNOWN_CHAINS } from '../../../chains/known-chains';
import type { Rpc } from '../../../rpc/rpc';
import { createVenueFinder } from './venue';

const ethereum = createChainTable(KNOWN_CHAINS).get(1);
const [v2, v3] = [ethereum.uniswapV2!.factory, ethereum.uniswapV3!.factory];
const OTHER: Address = '0x00000000000000000000000000000000000000Aa';
const signal = AbortSignal.timeout(60_000);

/** A router that was built with these: factory of V3, factory of V2, wrapper of the coin. */
function finderFor(...built: readonly (Address | undefined)[]) {
  let asked = 0;
  const multicall = () => {
    asked += 1;
    return Promise.resolve(built);
  };
  const find = createVenueFinder({ rpc: { multicall: multicall as unknown as Rpc['multicall'] } });
  return { find, asked: () => asked };
}

describe('the venue of a chain', () => {
  it('has the pools of both factories when the router was built with them, and is asked about once', async () => {
    const { find, asked } = finderFor(v3, v2, ethereum.wrappedNative);
    const venue = await find(ethereum, signal);
    expect(venue).toMatchObject({ router: ethereum.uniswapV3!.router, wrapsCoin: true });
    expect(venue!.pools.map(({ factory }) => factory)).toEqual([v3, v3, v3, v3, v2]);
    expect(await find(ethereum, signal)).toBe(venue);
    expect(asked()).toBe(1);
  });

  it('lacks the pools of a factory that the router does not know', async () => {
    const foreign = await finderFor(v3, OTHER, ethereum.wrappedNative).find(ethereum, signal);
    expect(foreign!.pools.map(({ fee }) => fee)).toEqual([100, 500, 3000, 10_000]);
    const old = await finderFor(OTHER, v2, ethereum.wrappedNative).find(ethereum, signal);
    expect(old!.pools).toEqual([{ factory: v2, fee: undefined }]);
  });

  it('does not trade coin that the router wraps as another token', async () => {
    expect(await finderFor(v3, v2, OTHER).find(ethereum, signal)).toMatchObject({ wrapsCoin: false });
  });

  it('is none where nothing answers like the router, which may change', async () => {
    const { find, asked } = finderFor(undefined, undefined, undefined);
    expect(await find(ethereum, signal)).toBeUndefined();
    await find(ethereum, signal);
    expect(asked()).toBe(2);
    expect(await find({ ...ethereum, uniswapV3: undefined }, signal)).toBeUndefined();
    expect(asked()).toBe(2);
  });
});
