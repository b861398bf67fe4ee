import type { Address } from 'viem';
import { createChainTable } from '../../../chains/chain-table';
import { KNOWN_CHAINS } from '../../../chains/known-chains';
import type { Rpc } from '../../../rpc/rpc';
import { createSwapRouterReader } from './router-deployment';

const ethereum = createChainTable(KNOWN_CHAINS).get(1);
const [v2, v3] = [ethereum.uniswapV2!.factory, ethereum.uniswapV3!.factory];
const OTHER: Address = '0x00000000000000000000000000000000000000Aa';
const signal = AbortSignal.timeout(60_000);

/** A reader of a router with these immutables: V3 factory, V2 factory, wrapper of the coin. */
function readerFor(...built: readonly (Address | undefined)[]) {
  let reads = 0;
  const multicall = () => {
    reads += 1;
    return Promise.resolve(built);
  };
  const read = createSwapRouterReader({ rpc: { multicall: multicall as unknown as Rpc['multicall'] } });
  return { read, reads: () => reads };
}

describe('the router of a chain', () => {
  it('supports both factories that it was built with, and is read once', async () => {
    const { read, reads } = readerFor(v3, v2, ethereum.wrappedNative);
    const router = await read(ethereum, signal);
    expect(router).toMatchObject({ router: ethereum.uniswapV3!.router, wrapsCoin: true });
    expect(router!.factories.map(({ factory }) => factory)).toEqual([v3, v3, v3, v3, v2]);
    expect(await read(ethereum, signal)).toBe(router);
    expect(reads()).toBe(1);
  });

  it('does not support a factory that it was not built with', async () => {
    const foreign = await readerFor(v3, OTHER, ethereum.wrappedNative).read(ethereum, signal);
    expect(foreign!.factories.map(({ fee }) => fee)).toEqual([100, 500, 3000, 10_000]);
    const old = await readerFor(OTHER, v2, ethereum.wrappedNative).read(ethereum, signal);
    expect(old!.factories).toEqual([{ factory: v2, fee: undefined }]);
  });

  it('does not trade the native coin when it wraps it as another token', async () => {
    expect(await readerFor(v3, v2, OTHER).read(ethereum, signal)).toMatchObject({ wrapsCoin: false });
  });

  it('is undefined while no router is deployed, and is read again later', async () => {
    const { read, reads } = readerFor(undefined, undefined, undefined);
    expect(await read(ethereum, signal)).toBeUndefined();
    await read(ethereum, signal);
    expect(reads()).toBe(2);
    expect(await read({ ...ethereum, uniswapV3: undefined }, signal)).toBeUndefined();
    expect(reads()).toBe(2);
  });
});
